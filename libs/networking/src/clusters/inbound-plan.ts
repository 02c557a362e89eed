import { isIPv4, isIPv6 } from 'node:net';
import type { MeshRead } from '@kedge/config';
import { fact, query } from '@kedge/incremental';
import { type ConfigOf, type IstioIngressListener, parseProtocol, type Proxy, type Service } from '@kedge/model';
import { alike, configNamespace, features, interceptionMode, meshConfig, sidecarOf } from '@kedge/pushcontext';
import { type ServiceTarget, serviceTargets } from '@kedge/registry';
import { isUnixAddress } from '../address.ts';
import { ipFamilies, localhosts } from '../ip-families.ts';

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
    const sidecar = read(sidecarOf);
    const targets = read(serviceTargets);
    const ingress = sidecar?.spec.ingress ?? [];
    if (!sidecar || ingress.length === 0) {
      // Without redirection the proxy could not listen where the workload does.
      return read.fact(interceptionMode) === 'NONE' ? [] : byService(read, targets);
    }
    const stated = ingress.flatMap((listener) => {
      const plan = byIngress(read, listener, { ...sidecar, namespace: read.fact(configNamespace) }, targets);
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

type Origin = Pick<ConfigOf<'Sidecar'>, 'name' | 'namespace' | 'creationTimestamp'>;

function byIngress(
  read: MeshRead,
  { port: listens, defaultEndpoint = '' }: IstioIngressListener,
  sidecar: Origin,
  targets: readonly ServiceTarget[],
): InboundPlan | undefined {
  const number = listens?.number ?? 0;
  const endpoint = workloadAddress(read, defaultEndpoint);
  if (!endpoint) return undefined;
  const service = targets.find(({ targetPort }) => targetPort === number)?.service ?? sidecarService(sidecar);
  const port = { name: listens?.name ?? '', port: number, protocol: parseProtocol(listens?.protocol ?? '') };
  return { port: number, ...endpoint, targets: [{ service, port, targetPort: endpoint.addressPort }] };
}

/**
 * Stands for a service where none has the port of an ingress listener. Telemetry knows a Sidecar of the root namespace by the
 * namespace that it is applied to.
 */
function sidecarService({ name, namespace, creationTimestamp }: Origin): Service {
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
