import type { MeshRead } from '@kedge/config';
import type { Listener } from '@kedge/envoy-api';
import { formatDuration } from '@kedge/model';
import { features, interceptionMode, meshConfig, rawMetadata } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { envoyAddress } from '../address.ts';
import { accessLogs } from '../filters/access-log.ts';
import type { ListenerFilter } from '../filters/network-filter.ts';
import type { Generated } from '../guard.ts';
import { ipFamilies, wildcards } from '../ip-families.ts';
import { assembledListener } from './assemble.ts';
import { inboundChain, inboundChainPlans } from './inbound-chain.ts';
import {
  inboundPortPlans,
  type InboundPortPlan,
  noLoopPlan,
  passthroughPlans,
  VIRTUAL_INBOUND,
} from './inbound-plan.ts';
import {
  exceptPorts,
  httpInspector,
  onlyPorts,
  originalDestination,
  originalSource,
  tlsInspector,
} from './listener-filters.ts';
import type { Binding } from './listener-plan.ts';
import { TLS } from './match.ts';
import { exactBalance, socketLimits } from './socket.ts';

/** The listener that takes redirected connections to the workload, on all ports that have no listener of their own. */
export const virtualInbound = encodedQuery('virtualInbound', (read: MeshRead) => {
  const port = meshConfig(read).proxyInboundListenPort ?? 0;
  const binding = { addresses: wildcards(read.fact(ipFamilies)), toPort: false };
  const redirected = read(inboundPortPlans).filter((plan) => !plan.binding.toPort);
  return inboundListener(read, { name: VIRTUAL_INBOUND, binding, port }, [
    noLoopPlan(binding, port),
    ...read(passthroughPlans),
    ...redirected,
  ]);
});

/** The listener of a port of the workload that the proxy opens itself, by the port's plan as JSON. */
export const inboundPortListener = encodedQuery('inboundPortListener', (read: MeshRead, planJson: string) => {
  const plan = JSON.parse(planJson) as InboundPortPlan;
  return inboundListener(read, plan, [plan]);
});

interface ListenerPlace {
  readonly name: string;
  readonly binding: Binding;
  readonly port: number;
}

function inboundListener(
  read: MeshRead,
  { name, binding, port }: ListenerPlace,
  plans: readonly InboundPortPlan[],
): Generated {
  const [primary = '', ...others] = binding.addresses;
  const accessLog = accessLogs(read, 'inbound', 'listener');
  const isTransparent = !binding.toPort && read.fact(interceptionMode) === 'TPROXY';
  const listener: Listener & { readonly name: string } = {
    name,
    address: envoyAddress(primary, port),
    ...(features(read).dualStack && others.length > 0
      ? { additionalAddresses: others.map((address) => ({ address: envoyAddress(address, port) })) }
      : {}),
    ...(isTransparent ? { transparent: true } : {}),
    listenerFilters: [
      ...(binding.toPort ? [] : [originalDestination]),
      ...(isTransparent ? [originalSource] : []),
      ...inspectors(plans),
    ],
    listenerFiltersTimeout: formatDuration(meshConfig(read).protocolDetectionTimeout ?? 0),
    continueOnListenerFiltersTimeout: true,
    trafficDirection: 'INBOUND',
    ...exactBalance(read.fact(rawMetadata, 'INBOUND_LISTENER_EXACT_BALANCE')),
    ...(accessLog.length > 0 ? { accessLog } : {}),
    ...socketLimits(read),
  };
  return assembledListener(
    listener,
    plans.flatMap(inboundChainPlans).map((plan) => read(inboundChain, plan)),
    plans.flatMap(({ from }) => from),
  );
}

/** What must be found out about connections before a chain can be chosen, port by port: servers may have to speak first. */
function inspectors(plans: readonly InboundPortPlan[]): readonly ListenerFilter[] {
  const byPort = Map.groupBy(plans, ({ port }) => port);
  const ports = [...byPort.keys()];
  const needs = (port: number, what: (match: InboundPortPlan['matches'][number]) => boolean): boolean =>
    (byPort.get(port) ?? []).some(({ matches }) => matches.some(what));
  const readsTls = (port: number): boolean => needs(port, ({ transport }) => transport === TLS);
  const detectsHttp = (port: number): boolean => needs(port, ({ protocols }) => protocols === 'plain-http');
  return [
    ...(ports.some(readsTls) ? [tlsOn(ports, readsTls)] : []),
    ...(ports.some(detectsHttp)
      ? [
          exceptPorts(
            httpInspector,
            ports.filter((port) => !detectsHttp(port)),
          ),
        ]
      : []),
  ];
}

/** On all ports but some, where ports that nobody describes need it too; else on some only. */
function tlsOn(ports: readonly number[], isNeeded: (port: number) => boolean): ListenerFilter {
  const described = ports.filter((port) => port !== 0);
  return isNeeded(0)
    ? exceptPorts(
        tlsInspector,
        described.filter((port) => !isNeeded(port)),
      )
    : onlyPorts(tlsInspector, described.filter(isNeeded));
}
