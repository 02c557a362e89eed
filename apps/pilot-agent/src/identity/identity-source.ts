import { existsSync } from 'node:fs';
import { NotBuiltError } from '@kedge/cli';
import type { EffectiveProxyConfig } from '@kedge/model';
import type { AgentEnvironment } from '../environment.ts';
import { isPlainText } from '../control-plane.ts';
import { assertCredentialFetcher } from './credential-fetcher.ts';
import type { ForeignSockets } from './foreign-sockets.ts';
import { type CertificateFiles, mountedFiles, platformFiles } from './credential-files.ts';

/** Where the workload's certificate comes from. */
export type IdentitySource =
  | { readonly kind: 'authority'; readonly address: string }
  | { readonly kind: 'files'; readonly files: CertificateFiles }
  /** Another program serves it to Envoy. */
  | { readonly kind: 'socket' }
  /** The mesh does without. */
  | { readonly kind: 'none' };

/**
 * What is set up for the workload wins over the authority, which is asked where CA_ADDR names it, or where it is a part of a
 * control plane that speaks TLS.
 * @throws NotBuiltError for authorities of other kinds.
 */
export function identitySource(
  config: EffectiveProxyConfig,
  environment: AgentEnvironment,
  { workload: isServed }: Pick<ForeignSockets, 'workload'>,
  isThere: (path: string) => boolean = existsSync,
): IdentitySource {
  if (isServed) return { kind: 'socket' };
  if (environment.fileMountedCertificates) return { kind: 'files', files: mountedFiles };
  if (Object.values(platformFiles).every(isThere)) return { kind: 'files', files: platformFiles };
  const address = environment.caAddress || (isPlainText(config) ? '' : config.discoveryAddress);
  if (address === '') return { kind: 'none' };
  assertAuthority(environment);
  assertCredentialFetcher(environment);
  return { kind: 'authority', address };
}

/** Authorities of clouds, which have protocols of their own. */
const cloudProviders: readonly string[] = ['GoogleCA', 'GoogleCAS'];

function assertAuthority({ caProvider }: AgentEnvironment): void {
  if (caProvider === 'Citadel') return;
  if (caProvider === 'GkeWorkloadCertificate') {
    throw new Error(`CA_PROVIDER ${caProvider}: ${Object.values(platformFiles).join(', ')} are not there`);
  }
  if (cloudProviders.includes(caProvider)) {
    throw new NotBuiltError(`CA_PROVIDER ${caProvider} is not built yet in this version; Citadel is`);
  }
  throw new Error(`CA_PROVIDER ${caProvider} is unknown; Citadel is known`);
}
