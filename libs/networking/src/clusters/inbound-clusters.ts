import { isIPv4, isIPv6 } from 'node:net';
import type { MeshRead } from '@kedge/config';
import type { Cluster } from '@kedge/envoy-api';
import { fact, query } from '@kedge/incremental';
import {
  type ConfigOf,
  type ConnectionPoolSettings,
  type IstioIngressListener,
  type ObjectRef,
  parseProtocol,
  type Proxy,
  type Service,
} from '@kedge/model';
import {
  alike,
  features,
  inboundDestinationRule,
  interceptionMode,
  meshConfig,
  sidecarScope,
} from '@kedge/pushcontext';
import { type ServiceTarget, serviceTargets } from '@kedge/registry';
import { envoyAddress, isUnixAddress } from '../address.ts';
import { type Generated, guardedResource, sameGenerated } from '../guard.ts';
import { ipFamilies, localhosts } from '../ip-families.ts';
import { istioMetadata, ruleMetadata, serviceMetadata } from './cluster-metadata.ts';
import { inboundClusterName } from './cluster-name.ts';
import { connectionPool } from './connection-pool.ts';
import { httpProtocolOptions, upgradedVersion, versionByProtocol } from './http-protocol-options.ts';
import { serviceRef } from './outbound-input.ts';
import { delimited, fillStatName } from './stat-name.ts';
import { inboundBindConfig } from './static-clusters.ts';
import { portPolicy, withMeshDefaults } from './traffic-policy.ts';

/** Where a connection that came in goes on to, and on whose behalf. */
export interface InboundPlan {
  /** The port by which the cluster is named: where the workload listens or, with a Sidecar, where the proxy does. */
  readonly port: number;
  /** Address of the workload, `unix://PATH` included; empty for wherever the connection was bound for. */
  readonly address: string;
  /** Port of the workload at that address. */
  readonly addressPort: number;
  /** The first decides over protocol and policies; the others are named to telemetry. */
  readonly targets: readonly [ServiceTarget, ...ServiceTarget[]];
}

/** The inbound clusters of a sidecar: by the ingress listeners of its Sidecar, else by the services that it serves. */
export const inboundPlans = query(
  'inboundPlans',
  (read: MeshRead): readonly InboundPlan[] => {
    const { sidecar } = read(sidecarScope);
    const targets = read(serviceTargets);
    const ingress = sidecar?.spec.ingress ?? [];
    if (!sidecar || ingress.length === 0) {
      // Without redirection the proxy could not listen where the workload does.
      return read.fact(interceptionMode) === 'NONE' ? [] : byService(read, targets);
    }
    const stated = ingress.flatMap((listener) => {
      const plan = byIngress(read, listener, sidecar, targets);
      return plan ? [plan] : [];
    });
    if (!features(read).inboundListenerMerge) return stated;
    const taken = new Set(ingress.map(({ port }) => port?.number));
    return [...byService(read, targets).filter(({ port }) => !taken.has(port)), ...stated];
  },
  alike,
);

function byService(read: MeshRead, targets: readonly ServiceTarget[]): readonly InboundPlan[] {
  const passes = meshConfig(read).inboundTrafficPolicy?.mode !== 'LOCALHOST';
  const address = passes ? '' : (localhosts(read.fact(ipFamilies))[0] ?? '');
  return [...Map.groupBy(targets, ({ targetPort }) => targetPort)].map(([port, [first, ...others]]) => ({
    port,
    address,
    addressPort: port,
    targets: [first as ServiceTarget, ...others],
  }));
}

function byIngress(
  read: MeshRead,
  { port: listens, defaultEndpoint = '' }: IstioIngressListener,
  sidecar: ConfigOf<'Sidecar'>,
  targets: readonly ServiceTarget[],
): InboundPlan | undefined {
  const number = listens?.number ?? 0;
  const endpoint = workloadAddress(read, defaultEndpoint);
  if (!endpoint) return undefined;
  const service = targets.find(({ targetPort }) => targetPort === number)?.service ?? sidecarService(sidecar);
  const port = { name: listens?.name ?? '', port: number, protocol: parseProtocol(listens?.protocol ?? '') };
  return { port: number, ...endpoint, targets: [{ service, port, targetPort: endpoint.addressPort }] };
}

/** Stands for a service where none has the port of an ingress listener. */
function sidecarService({ name, namespace, creationTimestamp }: ConfigOf<'Sidecar'>): Service {
  return {
    hostname: `${name}.${namespace}`,
    namespace,
    name,
    provider: 'External',
    clusters: [],
    creationTimestamp,
    ports: [],
    addresses: {},
    defaultAddress: '',
    autoAllocated: [],
    resolution: 'client-side-lb',
    meshExternal: true,
    exportTo: '*',
    labels: {},
    trafficDistribution: 'any',
    subjectAltNames: [],
  };
}

type WorkloadAddress = Pick<InboundPlan, 'address' | 'addressPort'>;

/**
 * Reads `defaultEndpoint`. `0.0.0.0` and `[::]` mean the proxy's own address of the family, `127.0.0.1` and `[::1]` loopback
 * of whichever family the proxy has; nothing else is valid.
 */
function workloadAddress(read: MeshRead, endpoint: string): WorkloadAddress | undefined {
  if (endpoint === '') return { address: '', addressPort: 0 };
  if (isUnixAddress(endpoint)) return { address: endpoint, addressPort: 0 };
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d+)$/.exec(endpoint) ?? [];
  if (port === undefined) return undefined;
  return { address: localAddress(read, bracketed ?? plain ?? ''), addressPort: Number(port) };
}

const firstV4 = fact('firstV4Address', ({ ipAddresses }: Proxy) => ipAddresses.find((address) => isIPv4(address)));
const firstV6 = fact('firstV6Address', ({ ipAddresses }: Proxy) => ipAddresses.find((address) => isIPv6(address)));

function localAddress(read: MeshRead, host: string): string {
  const loopback = localhosts(read.fact(ipFamilies));
  switch (host) {
    case '0.0.0.0':
      return read.fact(firstV4) ?? '127.0.0.1';
    case '::':
      return read.fact(firstV6) ?? '::1';
    case '127.0.0.1':
      return loopback[0] ?? '';
    case '::1':
      return loopback.at(-1) ?? '';
    default:
      return '';
  }
}

/** One inbound cluster, by the port in its name. */
export const inboundCluster = query(
  'inboundCluster',
  (read: MeshRead, port: number): Generated | undefined => {
    const plan = read(inboundPlans).find((one) => one.port === port);
    if (!plan) return undefined;
    const { cluster, from } = inbound(read, plan);
    return guardedResource('envoy.config.cluster.v3.Cluster', cluster.name ?? '', cluster, from);
  },
  (a, b) => (a && b ? sameGenerated(a, b) : a === b),
);

/** The longest time that Envoy takes: destinations that went quiet are never forgotten, for the workload is always there. */
const NEVER = '9223372035s';

function inbound(
  read: MeshRead,
  plan: InboundPlan,
): { readonly cluster: Cluster; readonly from: readonly ObjectRef[] } {
  const { service, port } = plan.targets[0];
  const mesh = meshConfig(read);
  const name = inboundClusterName(plan.port);
  const rule = read(inboundDestinationRule, service.hostname, service.namespace);
  const policy = withMeshDefaults(portPolicy(rule?.trafficPolicy, port.port), mesh);
  const pool = sidecarPool(read, plan.port) ?? policy.connectionPool ?? {};
  const version = upgradedVersion(versionByProtocol(read, port.protocol), port.protocol, withoutUpgrade(pool), {
    ...mesh,
    h2UpgradePolicy: 'DO_NOT_UPGRADE',
  });
  const named = features(read).telemetryLabel && !service.meshExternal ? sameServicePort(plan) : [];
  const cluster: Cluster = {
    name,
    altStatName: delimited(
      mesh.inboundClusterStatName
        ? fillStatName(mesh.inboundClusterStatName, { service, port, targetPort: plan.port })
        : name,
    ),
    ...destination(name, plan),
    ...connectionPool(read, pool, policy.retryBudget),
    ...httpProtocolOptions(read, { version, pool }),
    commonLbConfig: {},
    ...(isLoopback(plan.address) ? {} : { upstreamBindConfig: inboundBindConfig(read) }),
    ...(named.length > 0 ? istioMetadata(serviceMetadata(named), rule?.trafficPolicy ? ruleMetadata(rule) : {}) : {}),
  };
  return { cluster, from: [...(rule?.from ?? []), serviceRef(service)] };
}

/** Servers take connections of the version that clients chose; only clients upgrade. */
function withoutUpgrade(pool: ConnectionPoolSettings): ConnectionPoolSettings {
  return pool.http ? { ...pool, http: { ...pool.http, h2UpgradePolicy: 'DO_NOT_UPGRADE' } } : pool;
}

function destination(name: string, { address, addressPort }: InboundPlan): Cluster {
  if (address === '') return { type: 'ORIGINAL_DST', lbPolicy: 'CLUSTER_PROVIDED', cleanupInterval: NEVER };
  const endpoint = { address: envoyAddress(address, addressPort) };
  return { type: 'STATIC', loadAssignment: { clusterName: name, endpoints: [{ lbEndpoints: [{ endpoint }] }] } };
}

const isLoopback = (address: string): boolean => address === '127.0.0.1' || address === '::1';

/** The services that have the same port in front of the workload's; each host once. */
function sameServicePort({ targets }: InboundPlan): readonly Service[] {
  const same = targets.filter(({ port }) => port.port === targets[0].port.port);
  return [...new Map(same.toReversed().map(({ service }) => [service.hostname, service])).values()].toReversed();
}

/** What the Sidecar says of inbound connections: for the port, else for all. */
function sidecarPool(read: MeshRead, port: number): ConnectionPoolSettings | undefined {
  const spec = read(sidecarScope).sidecar?.spec;
  const own = spec?.ingress.find((listener) => listener.port?.number === port && listener.connectionPool);
  return own?.connectionPool ?? spec?.inboundConnectionPool;
}
