import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { alike, meshConfig } from '@kedge/pushcontext';
import { endpointShards } from '@kedge/registry';

/** The SPIFFE identities that may answer for a service, aliases of the trust domain included; sorted. */
export const serviceIdentities = query(
  'serviceIdentities',
  (read: MeshRead, host: string, namespace: string, stated: string): readonly string[] => {
    const accounts = read(endpointShards, host, namespace).flatMap(({ endpoints }) =>
      endpoints.map(({ serviceAccount }) => serviceAccount),
    );
    const { trustDomainAliases } = meshConfig(read);
    const identities = [...accounts, ...stated.split('\n')].filter(Boolean);
    const aliases = identities.flatMap((identity) => {
      const path = /^spiffe:\/\/[^/]+(\/ns\/[^/]+\/sa\/[^/]+)$/.exec(identity)?.[1];
      return path === undefined ? [] : trustDomainAliases.map((domain) => `spiffe://${domain}${path}`);
    });
    return [...new Set([...identities, ...aliases])].sort();
  },
  alike,
);
