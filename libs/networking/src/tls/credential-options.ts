import type { MeshRead } from '@kedge/config';
import type { ServerTLSSettings } from '@kedge/model';
import { meshConfig } from '@kedge/pushcontext';
import { hasCredentialSocket } from '../clusters/client-tls.ts';
import { type ProviderCluster, providerCluster } from '../provider-cluster.ts';
import { type credentialSecret, isExternalCredential } from './sds-config.ts';

/** Where the credentials of a server come from, as far as the server names such that the control plane doesn't serve. */
export function credentialOptions(read: MeshRead, tls: ServerTLSSettings): Parameters<typeof credentialSecret>[1] {
  const names = [tls.credentialName, ...tls.credentialNames, tls.caCertCredentialName];
  if (!names.some((name) => name !== undefined && isExternalCredential(name))) return {};
  const provider = sdsProvider(read);
  return { socket: read.fact(hasCredentialSocket), ...(provider ? { provider } : {}) };
}

/** The server of secrets that the mesh names, if it is a service of the mesh. */
function sdsProvider(read: MeshRead): ProviderCluster | undefined {
  const sds = meshConfig(read).extensionProviders.find((provider) => provider.sds)?.sds;
  const found = sds && providerCluster(read, sds.service, sds.port);
  return found && 'cluster' in found ? found : undefined;
}
