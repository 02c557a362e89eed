import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { ExtensionProvider, Hostname, Service } from '@kedge/model';
import {
  alike,
  configNamespace,
  destinationsFor,
  envoyFilterKeys,
  envoyFilters,
  features,
  meshConfig,
  nodeType,
  sameMembers,
  scopeServices,
  selectedGateways,
  virtualServicesFor,
} from '@kedge/pushcontext';
import { jwksHosts } from '../authn/request-authentication.ts';

/**
 * The services for which the proxy gets clusters: all that it sees or, if so wanted, only those that a gateway routes to or
 * asks for something.
 */
export const neededServices = query(
  'neededServices',
  (read: MeshRead): readonly Service[] => {
    const services = read(scopeServices);
    if (!features(read).filterGatewayClusters || read.fact(nodeType) !== 'router') return services;
    const hosts = new Set([...read(routedHosts), ...read(providerHosts), ...read(jwksHosts), ...referencedHosts(read)]);
    return services.filter(({ hostname, namespace }) => hosts.has(hostname) || hosts.has(`${namespace}/${hostname}`));
  },
  sameMembers,
);

/** The hosts to which VirtualServices on the gateway's Gateways lead; sorted. */
const routedHosts = query(
  'gatewayRoutedHosts',
  (read: MeshRead): readonly Hostname[] => {
    const client = read.fact(configNamespace);
    const hosts = selectedGateways(read)
      .flatMap(({ namespace, name }) => read(virtualServicesFor, client, `${namespace}/${name}`))
      .flatMap((head) => destinationsFor(read, head, client))
      .map(({ host }) => host);
    return [...new Set(hosts)].sort();
  },
  alike,
);

const REFERENCED_SERVICES = 'envoyfilter.istio.io/referenced-services';

/** The hosts that patches lead to, as EnvoyFilters state them: nobody looks into patches for them. */
function referencedHosts(read: MeshRead): readonly string[] {
  return envoyFilters(read, read(envoyFilterKeys)).flatMap(({ annotations }) =>
    (annotations[REFERENCED_SERVICES] ?? '').split(',').filter(Boolean),
  );
}

/** Providers that a service of the mesh stands for. */
const SERVED = [
  'envoyExtAuthzHttp',
  'envoyExtAuthzGrpc',
  'zipkin',
  'datadog',
  'skywalking',
  'opentelemetry',
  'envoyHttpAls',
  'envoyTcpAls',
  'envoyOtelAls',
  'sds',
] as const satisfies readonly (keyof ExtensionProvider)[];

/** The hosts of extension providers, some with a namespace before them (`namespace/host`). */
const providerHosts = query(
  'providerHosts',
  (read: MeshRead): readonly string[] =>
    meshConfig(read).extensionProviders.flatMap((provider) =>
      SERVED.flatMap((kind) => provider[kind]?.service ?? []).filter(Boolean),
    ),
  alike,
);
