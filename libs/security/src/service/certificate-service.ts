import { decode, encode, type Messages } from '@kedge/envoy-api';
import { type CallContext, GrpcError, type ServiceMethods, Status } from '@kedge/grpc-server';
import { authenticate, type Authenticator, type Caller } from '../authn/authenticator.ts';
import { CaError } from '../ca/ca-error.ts';
import type { CertificateAuthority } from '../ca/certificate-authority.ts';
import { messageOf } from '../error-code.ts';
import { isSameWorkload, type TrustDomains } from '../spiffe/trust-domains.ts';
import type { NodeAuthorizer } from './node-authorizer.ts';

export const certificateServiceName = 'istio.v1.auth.IstioCertificateService';

type CertificateRequest = Messages['istio.v1.auth.IstioCertificateRequest'];

/** What became of a request for a certificate. */
export type CertificateEvent =
  | { readonly kind: 'received' }
  | { readonly kind: 'signed'; readonly identities: readonly string[] }
  | { readonly kind: 'unauthenticated'; readonly problem: string; readonly address: string }
  | {
      readonly kind: 'refused';
      readonly problem: string;
      readonly reason: CaError['reason'];
      readonly address: string;
    };

export interface CertificateServiceOptions {
  readonly authority: CertificateAuthority;
  readonly authenticators: readonly Authenticator[];
  readonly trustDomains: () => TrustDomains;
  /** Absent: nobody gets a certificate for another. */
  readonly nodes?: NodeAuthorizer;
  /** Refuses calls in plain text, where a token could be read on its way. */
  readonly requireTls?: boolean;
  readonly observe?: (event: CertificateEvent) => void;
}

/** The methods of `IstioCertificateService`, to be added to a server under `certificateServiceName`. */
export function certificateService(options: CertificateServiceOptions): ServiceMethods {
  return {
    CreateCertificate: {
      kind: 'unary',
      handle: async (bytes, call) => {
        options.observe?.({ kind: 'received' });
        const certChain = await createCertificate(bytes, call, options);
        return encode('istio.v1.auth.IstioCertificateResponse', { certChain });
      },
    },
  };
}

async function createCertificate(
  bytes: Uint8Array,
  call: Pick<CallContext, 'peer' | 'metadata'>,
  options: CertificateServiceOptions,
): Promise<string[]> {
  const { authority, observe, trustDomains } = options;
  const { address } = call.peer;
  try {
    const caller = await authenticated(call, options);
    const request = requestOf(bytes);
    const names = namesFor(caller, request, options);
    const certificate = await authority.sign(request.csr ?? '', {
      names,
      mayAskFor: ({ kind, value }) =>
        kind === 'uri' && names.some((name) => isSameWorkload(trustDomains(), name, value)),
      ttl: Number(request.validityDuration ?? 0) * 1000,
    });
    observe?.({ kind: 'signed', identities: names });
    // One certificate an element, but the roots, which are the last: clients tell them by that.
    return [certificate, ...authority.material.chain.map(({ pem }) => pem), authority.roots];
  } catch (error) {
    if (error instanceof CaError) observe?.({ kind: 'refused', problem: error.message, reason: error.reason, address });
    throw error;
  }
}

async function authenticated(
  { peer, metadata }: Pick<CallContext, 'peer' | 'metadata'>,
  { authenticators, observe, requireTls = false }: CertificateServiceOptions,
): Promise<Caller> {
  const { address, tls, certificate } = peer;
  try {
    if (requireTls && !tls) throw new GrpcError(Status.UNAUTHENTICATED, 'certificates are signed over TLS only');
    return await authenticate({ address, tls, certificate, metadata }, authenticators);
  } catch (error) {
    observe?.({ kind: 'unauthenticated', problem: messageOf(error), address });
    throw error;
  }
}

function requestOf(bytes: Uint8Array): CertificateRequest {
  try {
    return decode('istio.v1.auth.IstioCertificateRequest', bytes);
  } catch (error) {
    throw new CaError('CSR_ERROR', 'the message is no request for a certificate', { cause: error });
  }
}

/** The names of the certificate: the caller's own, or those of a workload that it may act for. */
function namesFor(
  caller: Caller,
  { metadata }: CertificateRequest,
  { nodes, observe }: CertificateServiceOptions,
): readonly string[] {
  const signer = metadata?.CertSigner;
  if (typeof signer === 'string' && signer !== '') {
    throw new CaError('CSR_ERROR', 'this authority has no other signers, so a request cannot choose one');
  }
  const requested = metadata?.ImpersonatedIdentity;
  if (typeof requested !== 'string' || requested === '') return caller.identities;
  const problem = nodes ? nodes.problemOf(caller.kubernetes, requested) : 'impersonation is not allowed to anybody';
  if (problem === undefined) return [requested];
  observe?.({ kind: 'unauthenticated', problem, address: caller.identities.join(', ') });
  // Which pods run where is not for everybody to know.
  throw new GrpcError(Status.UNAUTHENTICATED, 'request impersonation authentication failure');
}
