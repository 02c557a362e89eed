import type { MeshRead } from '@kedge/config';
import type { FilterChain, Listener } from '@kedge/envoy-api';
import { features, interceptionMode, meshConfig } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { envoyAddress } from '../address.ts';
import { accessLogs } from '../filters/access-log.ts';
import { httpManagerFilter } from '../filters/http-connection-manager.ts';
import { statsFilters } from '../filters/stats.ts';
import { blackHole } from '../filters/tcp-proxy.ts';
import { guardedResource } from '../guard.ts';
import { ipFamilies, wildcards } from '../ip-families.ts';
import { catchAllFilters, outboundMode } from './catch-all.ts';
import { httpInspector } from './listener-filters.ts';
import { plainHttpProtocols } from './match.ts';
import { socketLimits } from './socket.ts';
import { unknownHostRoutes } from './unknown-host-routes.ts';

const NAME = 'virtualOutbound';

/** The listener that redirected connections arrive at. It hands them to the listener for where they were bound. */
export const virtualOutbound = encodedQuery('virtualOutbound', (read: MeshRead) => {
  const port = meshConfig(read).proxyListenPort ?? 0;
  const [primary = '', ...others] = addresses(read);
  const goesByName = read(outboundMode) === 'ALLOW_ANY_DYNAMIC_DNS';
  const accessLog = accessLogs(read, 'outbound', 'listener');
  const listener: Listener = {
    name: NAME,
    address: envoyAddress(primary, port),
    ...(others.length > 0
      ? { additionalAddresses: others.map((address) => ({ address: envoyAddress(address, port) })) }
      : {}),
    filterChains: [
      noLoop(read, port),
      ...(goesByName ? [byName(read)] : []),
      { filters: catchAllFilters(read), name: `${NAME}-catchall-tcp` },
    ],
    ...(goesByName ? { listenerFilters: [httpInspector] } : {}),
    useOriginalDst: true,
    ...(read.fact(interceptionMode) === 'TPROXY' ? { transparent: true } : {}),
    trafficDirection: 'OUTBOUND',
    ...(accessLog.length > 0 ? { accessLog } : {}),
    ...socketLimits(read),
  };
  return guardedResource('envoy.config.listener.v3.Listener', NAME, listener, []);
});

function addresses(read: MeshRead): readonly string[] {
  const families = read.fact(ipFamilies);
  const { dualStack, ipv4OutboundForIpv6 } = features(read);
  const [primary = '', ...others] = wildcards(families);
  if (dualStack && others.length > 0) return [primary, ...others];
  return ipv4OutboundForIpv6 && families === 'v6' ? [primary, '0.0.0.0'] : [primary];
}

/** Connections to the listener's own port would come back to it for ever. */
function noLoop(read: MeshRead, port: number): FilterChain {
  return {
    filterChainMatch: { destinationPort: port },
    filters: [...statsFilters(read, 'outbound', 'tcp'), blackHole],
    name: `${NAME}-blackhole`,
  };
}

/** Plain-text HTTP to unknown hosts, resolved by the name in the request. */
function byName(read: MeshRead): FilterChain {
  return {
    filterChainMatch: { applicationProtocols: plainHttpProtocols(read) },
    filters: [
      httpManagerFilter(read, {
        class: 'outbound',
        statPrefix: `outbound_${NAME}_allow_any_dynamic_dns`,
        routes: { inline: unknownHostRoutes(read) },
        useRemoteAddress: features(read).sidecarUseRemoteAddress,
        unknownHostsByName: true,
      }),
    ],
    name: `${NAME}-catchall-tcp-http`,
  };
}
