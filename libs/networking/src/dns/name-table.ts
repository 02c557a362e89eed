import { isIP } from 'node:net';
import type { MeshRead } from '@kedge/config';
import type { NameTable } from '@kedge/envoy-api';
import { query } from '@kedge/incremental';
import { type Endpoint, type Hostname, type Service, UNSPECIFIED_ADDRESS } from '@kedge/model';
import { alike, clusterId, features, network, egressListeners } from '@kedge/pushcontext';
import { endpointShards } from '@kedge/registry';
import { type EncodedResource, encodeResource, sameVersion } from '../resource.ts';
import { ipFamilies, supportsV4 } from '../ip-families.ts';
import { serviceAddresses } from '../service-addresses.ts';

const NAME_TABLE = 'istio.networking.nds.v1.NameTable';

/** Names of services that several clusters share resolve under their full names alone. */
const CLUSTERSET_SUFFIX = '.clusterset.local';

/** One name with its addresses; `shortname` and `namespace` let the agent answer the short forms too. */
interface NameInfo {
  readonly ips: readonly string[];
  readonly registry: string;
  readonly shortname?: string;
  readonly namespace?: string;
}

interface NamedInfo extends NameInfo {
  readonly name: Hostname;
}

/** The table by which the proxy's agent answers DNS: every name in the proxy's scope that has addresses. */
export const nameTable = query(
  'nameTable',
  (read: MeshRead): readonly EncodedResource[] => {
    const table: Record<Hostname, NameInfo> = {};
    for (const { services } of read(egressListeners)) {
      for (const service of services) {
        for (const { name, ...info } of namesOf(read, service)) {
          const known = table[name];
          table[name] = known ? mergeInfo(known, info) : info;
        }
      }
    }
    const message: NameTable = { table };
    return [encodeResource(NAME_TABLE, '', message)];
  },
  (a, b) => sameVersion(a[0], b[0]),
);

/** A name of Kubernetes takes precedence; entries of others add up. */
function mergeInfo(known: NameInfo, info: NameInfo): NameInfo {
  if (known.registry === 'Kubernetes') return known;
  return info.registry === 'Kubernetes' ? info : { ...known, ips: [...known.ips, ...info.ips] };
}

/** The service's own name first, then those of its pods where it is headless. */
function namesOf(read: MeshRead, service: Service): readonly NamedInfo[] {
  const addresses = serviceAddresses(read, service);
  if (!addresses.includes(UNSPECIFIED_ADDRESS))
    return named(
      service,
      addresses.filter((address) => isIP(address)),
    );
  if (service.resolution !== 'passthrough' || service.ports.length === 0) return [];
  // Headless services of Kubernetes count as IPv4: agents without that leave them to the DNS of the cluster.
  if (service.provider === 'Kubernetes' && !supportsV4(read.fact(ipFamilies))) return [];
  const { ips, pods } = read(
    headlessNames,
    service.hostname,
    service.namespace,
    service.kubernetes?.publishNotReadyAddresses ?? false,
  );
  const { provider: registry, namespace } = service;
  return [...named(service, ips), ...pods.map((pod) => ({ ...pod, registry, namespace }))];
}

function named(
  { hostname: name, name: shortname, namespace, provider: registry }: Service,
  ips: readonly string[],
): readonly NamedInfo[] {
  if (ips.length === 0) return [];
  const answersShort = registry === 'Kubernetes' && !name.endsWith(CLUSTERSET_SUFFIX);
  return [{ name, ips, registry, ...(answersShort ? { shortname, namespace } : {}) }];
}

interface HeadlessNames {
  readonly ips: readonly string[];
  readonly pods: readonly { readonly name: Hostname; readonly shortname: string; readonly ips: readonly string[] }[];
}

/**
 * What a headless service resolves to: the addresses of its endpoints on the proxy's network, and each pod that has a host
 * name under `pod.service.…`, where pods of the proxy's own cluster hide those of others.
 */
const headlessNames = query(
  'headlessNames',
  (read: MeshRead, host: Hostname, namespace: string, withUnready: boolean): HeadlessNames => {
    const endpoints = read(endpointShards, host, namespace)
      .flatMap((shard) => shard.endpoints)
      .filter((endpoint) => isResolvable(endpoint, withUnready) && inNetwork(read, endpoint));
    const unique = [...new Map(endpoints.map((endpoint) => [endpoint.addresses[0], endpoint])).values()];
    const everywhere = features(read).multiclusterHeadless;
    const ips = unique
      .filter((endpoint) => everywhere || inCluster(read, endpoint))
      .flatMap(({ addresses }) => addresses);
    const pods = Map.groupBy(
      unique.filter(({ subdomain }) => subdomain),
      ({ hostname, subdomain }) => `${hostname ?? ''}.${subdomain ?? ''}`,
    );
    const domain = host.slice(host.indexOf('.') + 1);
    return {
      ips,
      pods: [...pods].map(([shortname, members]) => {
        const local = members.filter((member) => inCluster(read, member));
        const chosen = local.length > 0 ? local : members;
        return { name: `${shortname}.${domain}`, shortname, ips: chosen.flatMap(({ addresses }) => addresses) };
      }),
    };
  },
  alike,
);

function isResolvable({ addresses, health }: Endpoint, withUnready: boolean): boolean {
  return addresses.length > 0 && addresses.every((address) => isIP(address)) && (withUnready || health === 'healthy');
}

function inNetwork(read: MeshRead, endpoint: Endpoint): boolean {
  const own = read.fact(network);
  return own === '' || endpoint.network === '' || own === endpoint.network;
}

function inCluster(read: MeshRead, endpoint: Endpoint): boolean {
  const own = read.fact(clusterId);
  return own === '' || endpoint.cluster === '' || own === endpoint.cluster;
}
