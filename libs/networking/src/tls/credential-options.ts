import type { MeshRead } from '@kedge/config';
import type { ServerTLSSettings } from '@kedge/model';
import { meshConfig } from '@kedge/pushcontext';
import { servicesOfHost } from '@kedge/registry';
import { outboundClusterName } from '../clusters/cluster-name.ts';
import { hasCredentialSocket } from '../clusters/client-tls.ts';
import { type credentialSecret, isExternalCredential } from './sds-config.ts';

/** Where the credentials of a server come from, as far as the server names such that the control plane doesn't serve. */
export function credentialOptions(read: MeshRead, tls: ServerTLSSettings): Parameters<typeof credentialSecret>[1] {
  const names = [tls.credentialName, ...tls.credentialNames, tls.caCertCredentialName];
  if (!names.some((name) => name !== undefined && isExternalCredential(name))) return {};
  const provider = sdsProvider(read);
  return { socket: read.fact(hasCredentialSocket), ...(provider ? { provider } : {}) };
}

/** The server of secrets that the mesh names, if it is one service of the mesh. */
function sdsProvider(read: MeshRead): { readonly cluster: string; readonly host: string } | undefined {
  const sds = meshConfig(read).extensionProviders.find((provider) => provider.sds)?.sds;
  if (!sds) return undefined;
  const slash = sds.service.indexOf('/');
  const host = sds.service.slice(slash + 1);
  const found = read(servicesOfHost, host).filter(
    ({ namespace }) => slash < 0 || namespace === sds.service.slice(0, slash),
  );
  const isOne = new Set(found.map(({ namespace }) => namespace)).size === 1;
  return isOne ? { cluster: outboundClusterName(host, sds.port), host } : undefined;
}
