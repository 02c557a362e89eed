/** A template that isn't there, or whose output isn't a pod. */
export class InjectionError extends Error {
  override readonly name = 'InjectionError';
}
