/** Why nothing could be generated, in words for the user. */
export class InstallError extends Error {
  override readonly name = 'InstallError';
}
