import { GrpcError, Status, type StatusCode } from '@kedge/grpc-server';

/** Why a certificate isn't signed; the names are those of the label `error` of Istio's metrics. */
export type CaErrorReason = 'CSR_ERROR' | 'TTL_ERROR' | 'CERT_GEN_ERROR' | 'ID_ERROR';

const codes: Readonly<Record<CaErrorReason, StatusCode>> = {
  CSR_ERROR: Status.INVALID_ARGUMENT,
  TTL_ERROR: Status.INVALID_ARGUMENT,
  CERT_GEN_ERROR: Status.INTERNAL,
  ID_ERROR: Status.PERMISSION_DENIED,
};

/** The error of a request for a certificate, as the client is told. */
export class CaError extends GrpcError {
  readonly reason: CaErrorReason;

  constructor(reason: CaErrorReason, message: string, options: ErrorOptions = {}) {
    super(codes[reason], `CSR signing error (${message})`, options);
    this.name = 'CaError';
    this.reason = reason;
  }
}
