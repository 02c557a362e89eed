import { NotBuiltError } from '@kedge/cli';
import type { AgentEnvironment } from '../environment.ts';

/**
 * CREDENTIAL_FETCHER_TYPE says where the token comes from by which the agent is known: a file (`JWT`).
 * @throws Error for any other.
 */
export function assertCredentialFetcher({ credentialFetcherType: type }: AgentEnvironment): void {
  if (type === 'JWT') return;
  if (type === 'GoogleComputeEngine') {
    throw new NotBuiltError(`CREDENTIAL_FETCHER_TYPE ${type} is not built yet in this version; JWT is`);
  }
  throw new Error(`CREDENTIAL_FETCHER_TYPE ${type} is unknown; JWT is known`);
}
