/** The status codes of gRPC (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). */
export const Status = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

export type StatusName = keyof typeof Status;
export type StatusCode = (typeof Status)[StatusName];

const names = Object.fromEntries(Object.entries(Status).map(([name, code]) => [code, name])) as Readonly<
  Record<StatusCode, StatusName>
>;

export function statusName(code: StatusCode): StatusName {
  return names[code];
}

/** How a call ends. Everything but the code is optional; `details` is an encoded `google.rpc.Status`. */
export interface CallStatus {
  readonly code: StatusCode;
  readonly message?: string;
  readonly details?: Uint8Array;
  /** Further trailers; keys in lower case, values of keys ending in `-bin` as bytes. */
  readonly trailers?: OutgoingMetadata;
}

/** Metadata that a server sends: text, or bytes where the key ends in `-bin`. */
export type OutgoingMetadata = Readonly<Record<string, string | Uint8Array>>;

/** The error by which a handler ends its call with a status; its message is sent to the client. */
export class GrpcError extends Error implements CallStatus {
  readonly code: StatusCode;
  readonly details: Uint8Array | undefined;
  readonly trailers: OutgoingMetadata | undefined;

  constructor(code: StatusCode, message: string, extra: Pick<CallStatus, 'details' | 'trailers'> & ErrorOptions = {}) {
    super(message, extra);
    this.name = 'GrpcError';
    this.code = code;
    this.details = extra.details;
    this.trailers = extra.trailers;
  }

  /**
   * What a client is told about something that was thrown: the status of a `GrpcError`, and for everything else UNKNOWN
   * without a text, since foreign messages and stacks may tell more than a client should know.
   */
  static from(thrown: unknown): GrpcError {
    return thrown instanceof GrpcError
      ? thrown
      : new GrpcError(Status.UNKNOWN, 'the handler of this method failed', { cause: thrown });
  }
}
