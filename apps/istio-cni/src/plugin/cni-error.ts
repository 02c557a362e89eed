/** Codes of errors: below 100 those of the CNI specification, from 100 those of this plugin. */
export const errorCodes = {
  incompatibleVersion: 1,
  unknownContainer: 3,
  invalidEnvironment: 4,
  ioFailure: 5,
  decodingFailure: 6,
  invalidConfig: 7,
  tryAgainLater: 11,
  /** What the pod says about its redirection can't be followed. */
  invalidPod: 100,
  /** The rules could not be applied. */
  redirectionFailed: 101,
  /** CHECK: the rules are not in effect. */
  notRedirected: 102,
  internal: 999,
} as const;

/** An error as the container runtime is told it. */
export class CniError extends Error {
  override readonly name = 'CniError';

  readonly kind: keyof typeof errorCodes;
  /** What lies behind it. */
  readonly details: string;

  constructor(kind: keyof typeof errorCodes, message: string, details = '') {
    super(message);
    this.kind = kind;
    this.details = details;
  }
}

/** The document that goes to stdout. */
export function errorDocument(error: CniError, cniVersion: string) {
  const { kind, message: msg, details } = error;
  return { cniVersion, code: errorCodes[kind], msg, ...(details && { details }) };
}
