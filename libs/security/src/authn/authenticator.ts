import { GrpcError, Status, type CallContext } from '@kedge/grpc-server';

/** What is known of a call before anybody is authenticated. */
export type AuthenticationRequest = Pick<CallContext['peer'], 'address' | 'tls' | 'certificate'> &
  Pick<CallContext, 'metadata'>;

/** A pod that a token of Kubernetes was given to. */
export interface KubernetesCaller {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly podName: string | undefined;
  readonly podUid: string | undefined;
  /** The cluster that it said it is in, empty where it didn't. */
  readonly clusterId: string;
}

/** Who calls. */
export interface Caller {
  readonly source: 'clientCertificate' | 'token';
  /** SPIFFE URIs, of which there is at least one. */
  readonly identities: readonly string[];
  readonly kubernetes?: KubernetesCaller;
}

/** `absent`: the call has none of what this way of authentication needs. */
export type Authentication =
  | { readonly kind: 'authenticated'; readonly caller: Caller }
  | { readonly kind: 'absent'; readonly problem: string }
  | { readonly kind: 'refused'; readonly problem: string };

export interface Authenticator {
  readonly name: string;
  /** Never rejects. Problems are plain, and have no part of a credential in them. */
  authenticate(request: AuthenticationRequest): Promise<Authentication>;
}

export const refused = (problem: string): Authentication => ({ kind: 'refused', problem });
export const absent = (problem: string): Authentication => ({ kind: 'absent', problem });

/** Asks one after the other, until one knows the caller. Rejects with UNAUTHENTICATED and what was wrong. */
export async function authenticate(
  request: AuthenticationRequest,
  authenticators: readonly Authenticator[],
): Promise<Caller> {
  const results: Authentication[] = [];
  for (const authenticator of authenticators) {
    const result = await authenticator.authenticate(request);
    if (result.kind === 'authenticated') return result.caller;
    results.push(result);
  }
  const problems = problemsOf(results, 'refused');
  // What wasn't presented matters only where nothing was.
  const told = problems.length > 0 ? problems : problemsOf(results, 'absent');
  throw new GrpcError(
    Status.UNAUTHENTICATED,
    `request authenticate failure: ${told.join('; ') || 'nobody can be authenticated'}`,
  );
}

function problemsOf(results: readonly Authentication[], wanted: 'refused' | 'absent'): readonly string[] {
  return [...new Set(results.flatMap((result) => (result.kind === wanted ? [result.problem] : [])))];
}

/** The bearer token of a call. */
export function bearerToken({ metadata }: AuthenticationRequest): string | undefined {
  // Values of a repeated key are joined by commas, which no token contains.
  const values = metadata.get('authorization')?.split(', ') ?? [];
  return values.find((value) => value.startsWith('Bearer '))?.slice('Bearer '.length);
}

/** Longer tokens are refused before anything looks into them. */
export const maximumTokenLength = 16 * 1024;
