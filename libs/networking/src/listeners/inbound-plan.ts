import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import {
  type IstioIngressListener,
  type ObjectRef,
  parseProtocol,
  type Protocol,
  type ServerTLSSettings,
} from '@kedge/model';
import { alike, configNamespace, features, interceptionMode, type MutualTlsMode, sidecarOf } from '@kedge/pushcontext';
import { serviceTargets } from '@kedge/registry';
import { BLACK_HOLE_CLUSTER, INBOUND_PASSTHROUGH_CLUSTER, inboundClusterName } from '../clusters/cluster-name.ts';
import { serviceRef } from '../clusters/outbound-input.ts';
import type { StatNameInput } from '../clusters/stat-name.ts';
import { ipFamilies, wildcards } from '../ip-families.ts';
import { canListen } from './bindable.ts';
import { anyBytes, type InboundMatch, inboundMatches, serverTlsMatches } from './inbound-matches.ts';
import { mannerOf } from './listen-conflicts.ts';
import { type Binding, listenerName } from './listener-plan.ts';
import { inboundMode, portsOfInboundPolicy } from './inbound-mode.ts';
import { globalUnicastAddress } from './own-address.ts';

/** The listener that takes redirected connections. */
export const VIRTUAL_INBOUND = 'virtualInbound';

/** A port of the workload. */
export interface InboundPortPlan {
  /** Name of its chains, and of its listener where it has one of its own. */
  readonly name: string;
  readonly binding: Binding;
  /** The port that connections were bound for; 0 for those that no other chain is for. */
  readonly port: number;
  /** The port by which the service is addressed. */
  readonly servicePort: number;
  readonly protocol: Protocol;
  readonly cluster: string;
  /** Names the workload to telemetry. */
  readonly hostname: string;
  /** What the mesh's pattern for names of statistics is filled in from; without, their name is the cluster's. */
  readonly statName?: Pick<StatNameInput, 'service' | 'port'>;
  readonly matches: readonly InboundMatch[];
  /** Settings of a Sidecar for TLS that the proxy ends in place of the mesh's. */
  readonly tls?: ServerTLSSettings;
  /** The Sidecar that asks for the port. */
  readonly config?: ObjectRef;
  readonly from: readonly ObjectRef[];
}

/** Which port is asked for, before it is known how it takes connections. */
type Wish = Omit<InboundPortPlan, 'matches' | 'cluster' | 'name'>;

/** The ports of the workload, by number: what its Sidecar says, else what its services have. */
export const inboundPortPlans = query(
  'inboundPortPlans',
  (read: MeshRead): readonly InboundPortPlan[] => {
    const wishes = new Map<number, Wish>();
    for (const wish of allWishes(read)) if (!wishes.has(wish.port)) wishes.set(wish.port, wish);
    return [...wishes.values()].sort((a, b) => a.port - b.port).map((wish) => portPlan(read, wish));
  },
  alike,
);

function portPlan(read: MeshRead, wish: Wish): InboundPortPlan {
  const base = {
    name: listenerName(wish.binding.addresses[0] ?? '', wish.port),
    ...wish,
    cluster: inboundClusterName(wish.port),
  };
  const mode = inboundMode(read, wish.port);
  if (!wish.tls) return { ...base, matches: matchesFor(mode, wish.protocol) };
  const protocol = withoutTls(wish.protocol);
  // Mutual TLS of the mesh, where the port may take it, leaves no room for TLS of another kind.
  if (mode === 'DISABLE') return { ...base, protocol, matches: serverTlsMatches(mannerOf(protocol) ?? 'tcp') };
  const { tls: _, ...rest } = base;
  return { ...rest, protocol, matches: matchesFor(mode, protocol) };
}

const matchesFor = (mode: MutualTlsMode, protocol: Protocol): readonly InboundMatch[] =>
  inboundMatches(mode, mannerOf(protocol) ?? 'tcp');

const withoutTls = (protocol: Protocol): Protocol =>
  protocol === 'HTTPS' ? 'HTTP' : protocol === 'TLS' ? 'TCP' : protocol;

function* allWishes(read: MeshRead): Generator<Wish> {
  const ingress = read(sidecarOf)?.spec.ingress ?? [];
  if (ingress.length === 0) {
    // Without redirection the proxy cannot listen where the workload does.
    if (read.fact(interceptionMode) !== 'NONE') yield* serviceWishes(read, new Set());
    return;
  }
  if (features(read).inboundListenerMerge) {
    yield* serviceWishes(read, new Set(ingress.map(({ port }) => port?.number ?? 0)));
  }
  for (const listener of ingress) yield* ingressWish(read, listener);
}

function* serviceWishes(read: MeshRead, except: ReadonlySet<number>): Generator<Wish> {
  const addresses = wildcards(read.fact(ipFamilies));
  const binding = { addresses, toPort: read.fact(interceptionMode) === 'NONE' };
  for (const { service, port, targetPort } of read(serviceTargets)) {
    const { protocol } = port;
    const place = { address: addresses[0] ?? '', port: targetPort, protocol, toPort: binding.toPort };
    if (except.has(targetPort) || !canListen(read, place)) continue;
    const { hostname, name, namespace, provider } = service;
    yield {
      binding,
      port: targetPort,
      servicePort: port.port,
      protocol,
      hostname,
      statName: { service: { hostname, name, namespace, provider }, port: { port: port.port, name: port.name } },
      from: [serviceRef(service)],
    };
  }
}

function* ingressWish(read: MeshRead, listener: IstioIngressListener): Generator<Wish> {
  const sidecar = read(sidecarOf);
  const { port: stated, bind = '', captureMode = 'DEFAULT', tls } = listener;
  if (!sidecar || !stated) return;
  const { number = 0, name: portName = '' } = stated;
  const protocol = parseProtocol(stated.protocol ?? '');
  const toPort = captureMode === 'DEFAULT' ? read.fact(interceptionMode) === 'NONE' : captureMode === 'NONE';
  if (!canListen(read, { address: bind, port: number, protocol, toPort }, false)) return;
  const own = read.fact(globalUnicastAddress);
  const addresses = bind ? [bind] : own ? [own] : wildcards(read.fact(ipFamilies));
  const { kind, name } = sidecar;
  // Telemetry knows a Sidecar of the root namespace by the namespace that it is applied to.
  const namespace = read.fact(configNamespace);
  const hostname = `${name}.${namespace}`;
  const config = { kind, namespace, name };
  yield {
    binding: { addresses, toPort },
    port: number,
    servicePort: number,
    protocol,
    hostname,
    statName: {
      service: { hostname, name: hostname, namespace, provider: 'External' },
      port: { port: number, name: portName },
    },
    ...(tls && features(read).tlsOnSidecarIngress ? { tls } : {}),
    config,
    from: [{ kind, namespace: sidecar.namespace, name }],
  };
}

const NO_SERVICE: NonNullable<InboundPortPlan['statName']> = {
  service: { hostname: '', name: '', namespace: '', provider: 'External' },
  port: { port: 0, name: VIRTUAL_INBOUND },
};

/** Connections to ports that nobody describes, and to those of them that a policy names. */
export const passthroughPlans = query(
  'passthroughPlans',
  (read: MeshRead): readonly InboundPortPlan[] => {
    const ingress = read(sidecarOf)?.spec.ingress ?? [];
    const described = new Set(
      ingress.length > 0
        ? ingress.map(({ port }) => port?.number)
        : read(serviceTargets).map(({ targetPort }) => targetPort),
    );
    const named = portsOfInboundPolicy(read)
      .filter((port) => !described.has(port))
      .sort((a, b) => a - b);
    return [0, ...named].map((port) => ({
      name: VIRTUAL_INBOUND,
      binding: { addresses: wildcards(read.fact(ipFamilies)), toPort: false },
      port,
      servicePort: 0,
      protocol: 'Unsupported',
      cluster: INBOUND_PASSTHROUGH_CLUSTER,
      hostname: '',
      statName: NO_SERVICE,
      matches: matchesFor(inboundMode(read, port === 0 ? undefined : port), 'Unsupported'),
      from: [],
    }));
  },
  alike,
);

/** Connections to the port of the listener itself would come back to it for ever: they go nowhere. */
export const noLoopPlan = (binding: Binding, port: number): InboundPortPlan => ({
  name: VIRTUAL_INBOUND,
  binding,
  port,
  servicePort: 0,
  protocol: 'Unsupported',
  cluster: BLACK_HOLE_CLUSTER,
  hostname: '',
  matches: [anyBytes],
  from: [],
});
