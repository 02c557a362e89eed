import { isIP } from 'node:net';
import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { type Hostname, type IstioEgressListener, isTcp, isTls, parseProtocol, type Service } from '@kedge/model';
import { alike, dnsDomain, type EgressListener, features, interceptionMode, egressListeners } from '@kedge/pushcontext';
import { isUnixAddress } from '../address.ts';
import { ipFamilies, localhosts, wildcards } from '../ip-families.ts';
import { shortNames } from '../routes/virtual-host-domains.ts';
import { canListen } from './bindable.ts';
import { L4RouteTable } from './l4-routes.ts';
import { ListenerTable, type Manner, mannerOf } from './listen-conflicts.ts';
import type { Binding, OutboundListenerPlan } from './listener-plan.ts';
import { listenAddresses, podAddresses } from './listen-addresses.ts';
import { type ChainInput, httpChain, tcpChains } from './outbound-chains.ts';
import type { ListenPort } from './tcp-target.ts';

/** The listeners for services that the proxy's workload calls, by name. */
export const outboundPlans = query(
  'outboundPlans',
  (read: MeshRead): readonly OutboundListenerPlan[] => {
    const table = new ListenerTable();
    for (const egress of read(egressListeners)) {
      const place = {
        table,
        egress,
        routes: L4RouteTable.of(read, egress.virtualServices),
        binding: statedBinding(read, egress.spec),
      };
      if (egress.spec?.port) statedListener(read, place, egress.spec.port);
      else listenersOfServices(read, place);
    }
    return table.list();
  },
  alike,
);

/** What the listeners of an egress listener have in common. */
interface EgressPlace {
  readonly table: ListenerTable;
  readonly egress: EgressListener;
  readonly routes: L4RouteTable;
  /** No address means: those of each service. */
  readonly binding: Binding;
}

/** Without redirection, and where the Sidecar says so, connections must be made to a port that the proxy opens. */
function statedBinding(read: MeshRead, spec: IstioEgressListener | undefined): Binding {
  const bind = spec?.bind ?? '';
  const toPort =
    read.fact(interceptionMode) === 'NONE' || spec?.captureMode === 'NONE' || (bind !== '' && isUnixAddress(bind));
  if (bind !== '') return { toPort, addresses: [bind] };
  return { toPort, addresses: toPort ? localhosts(read.fact(ipFamilies)) : [] };
}

/** The one listener that a Sidecar asks for by port. */
function statedListener(read: MeshRead, place: EgressPlace, port: NonNullable<IstioEgressListener['port']>): void {
  const listen = { number: port.number ?? 0, protocol: parseProtocol(port.protocol ?? ''), name: port.name ?? '' };
  if (!mayListen(read, place, listen)) return;
  for (const service of place.egress.services) claim(read, place, service, listen);
}

/** Listeners for every port of the services, wherever a Sidecar's listeners before this one left the place free. */
function listenersOfServices(read: MeshRead, place: EgressPlace): void {
  place.table.lock();
  for (const service of place.egress.services) {
    for (const port of service.ports) {
      const listen = { number: port.port, protocol: port.protocol, name: port.name };
      if (mannerOf(port.protocol) === undefined || !mayListen(read, place, listen)) continue;
      const pods = place.binding.addresses.length === 0 ? podAddresses(read, service, port) : undefined;
      if (!pods) claim(read, place, service, listen);
      for (const addresses of pods ?? []) claimForPod(read, place, service, listen, addresses);
    }
  }
}

function mayListen(
  read: MeshRead,
  { binding }: Pick<EgressPlace, 'binding'>,
  { number, protocol }: ListenPort,
): boolean {
  return canListen(read, { address: binding.addresses[0] ?? '', port: number, protocol, toPort: binding.toPort });
}

function claimForPod(
  read: MeshRead,
  place: EgressPlace,
  service: Service,
  listen: ListenPort,
  addresses: readonly string[],
): void {
  const shared = features(read).headlessFilterChainListener && isTcp(listen.protocol);
  const { toPort } = place.binding;
  if (!shared) return claimAt(read, place, service, listen, { addresses, toPort }, { ranges: [], bySni: false });
  const binding = { addresses: wildcards(read.fact(ipFamilies)), toPort };
  claimAt(read, place, service, listen, binding, { ranges: addresses, bySni: false, isPod: true });
}

/** Claims the place where a service is reached, or places, where it has several addresses. */
function claim(read: MeshRead, place: EgressPlace, service: Service, listen: ListenPort): void {
  const { addresses, toPort } = place.binding;
  const wide = wildcards(read.fact(ipFamilies));
  if (addresses.length > 0) {
    const [[own = ''] = []] = listenAddresses(read, service);
    const bySni = own.includes('/') || (own === wide[0] && addresses[0] === wide[0]);
    claimAt(read, place, service, listen, place.binding, { ranges: [], bySni });
    return;
  }
  if (mannerOf(listen.protocol) === 'http') {
    claimAt(read, place, service, listen, { addresses: wide, toPort }, { ranges: [], bySni: false });
    return;
  }
  for (const own of listenAddresses(read, service)) {
    const [primary = ''] = own;
    if (primary.includes('/')) {
      claimAt(read, place, service, listen, { addresses: wide, toPort }, { ranges: own, bySni: true });
    } else {
      claimAt(read, place, service, listen, { addresses: own, toPort }, { ranges: [], bySni: primary === wide[0] });
    }
  }
}

interface Told {
  readonly ranges: readonly string[];
  readonly bySni: boolean;
  /** Whether the ranges are one pod's, which needs no further telling apart. */
  readonly isPod?: boolean;
}

function claimAt(
  read: MeshRead,
  { table, egress, routes }: EgressPlace,
  service: Service,
  listen: ListenPort,
  binding: Binding,
  { ranges, bySni, isPod = false }: Told,
): void {
  const claims = mannerOf(listen.protocol);
  if (claims === undefined || service.resolution === 'alias') return;
  const [wide] = wildcards(read.fact(ipFamilies));
  const isWide = binding.addresses[0] === wide;
  if (isWide && !mayListen(read, { binding }, listen)) return;
  const isProxy = listen.protocol === 'HTTP_PROXY';
  const detected = !isProxy && (claims === 'auto' || (claims === 'http' && isWide));
  const input = (): ChainInput => ({
    service,
    listen,
    aliases: (egress.aliases.get(service.hostname) ?? []).flatMap((alias) => writtenForms(read, alias)),
    routes: routes.for(service.hostname),
    ranges,
    bySni: isTls(listen.protocol) && bySni,
    isPod,
  });
  table.add({
    binding,
    port: listen.number,
    protocol: listen.protocol,
    claims: isProxy ? 'http-proxy' : claims,
    manner: detected ? 'auto' : claims,
    tcp: () => (claims === 'http' ? [] : tcpChains(read, input())),
    http: () =>
      claims === 'tcp'
        ? []
        : [httpChain({ service, listen }, routeName(service, listen, binding, claims, isWide), detected)],
  });
}

/** A name in every form in which clients of the proxy's domain may write it. */
function writtenForms(read: MeshRead, host: Hostname): readonly string[] {
  const absolute = features(read).absoluteFqdnDomains && isIP(host) === 0 ? [`${host}.`] : [];
  return [host, ...absolute, ...shortNames(host, read.fact(dnsDomain))];
}

/** Listeners for HTTP share the routes of their port; one that had to look for itself has routes for its service alone. */
function routeName(
  service: Service,
  { number }: ListenPort,
  { addresses }: Binding,
  manner: Manner,
  isWide: boolean,
): string {
  if (number === 0) return addresses[0] ?? '';
  return manner === 'auto' && !isWide ? `${service.hostname}:${number}` : String(number);
}
