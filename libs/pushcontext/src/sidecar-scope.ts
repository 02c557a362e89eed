import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Hostname, IstioEgressListener, Service, SidecarOutboundTrafficPolicy } from '@kedge/model';
import type { EgressHosts } from './egress-hosts.ts';
import {
  egressHosts,
  egressSpec,
  egressTexts,
  egressVirtualServices,
  importedServices,
  matchedPort,
} from './egress-imports.ts';
import { alike, sameMembers } from './equality.ts';
import { meshConfig } from './mesh.ts';
import { nodeType } from './proxy-facts.ts';
import { serviceAliases } from './service-aliases.ts';
import { sidecarOf } from './sidecar.ts';
import { viewpoint } from './viewpoint.ts';
import type { VirtualServiceHead } from './virtual-services.ts';
import { visibleServices } from './visible-services.ts';

/** One egress listener of a Sidecar with what it imports; a single one that imports all where there is no Sidecar. */
export interface EgressListener {
  /** Undefined for the listener that is there by default. */
  readonly spec: IstioEgressListener | undefined;
  readonly services: readonly Service[];
  /** Further names of the services, where they have any. */
  readonly aliases: ReadonlyMap<Hostname, readonly Hostname[]>;
  /** Those that count first come first. */
  readonly virtualServices: readonly VirtualServiceHead[];
}

/** What of the mesh a sidecar sees; none for others. Those that look from the same viewpoint, by the same Sidecar, share it. */
export const egressListeners = query(
  'egressListeners',
  (read: MeshRead): readonly EgressListener[] => {
    if (read.fact(nodeType) !== 'sidecar') return NONE;
    const view = read(viewpoint);
    return egressTexts(read(sidecarOf)).map((text) => read(egressListener, view, text));
  },
  sameMembers,
);

const NONE: readonly EgressListener[] = [];

/** What becomes of connections to hosts that the mesh doesn't know: as the Sidecar says, else the mesh's configuration. */
export const outboundTrafficPolicy = query(
  'outboundTrafficPolicy',
  (read: MeshRead): SidecarOutboundTrafficPolicy | undefined => {
    if (read.fact(nodeType) !== 'sidecar') return undefined;
    const stated = read(sidecarOf)?.spec.outboundTrafficPolicy;
    if (stated) return stated;
    const mode = meshConfig(read).outboundTrafficPolicy?.mode;
    return mode ? ({ mode } as SidecarOutboundTrafficPolicy) : undefined;
  },
  alike,
);

/** An egress listener by what it says (as JSON), so that namespaces' equal listeners need not be told apart by position. */
const egressListener = query(
  'egressListener',
  (read: MeshRead, view: string, text: string): EgressListener => {
    const hosts = read(egressHosts, view, text);
    const services = importedServices(read(visibleServices, view), hosts, view, matchedPort(text));
    const virtualServices = read(egressVirtualServices, view, text);
    return { spec: egressSpec(text), services, aliases: admittedAliases(read, hosts, services), virtualServices };
  },
  (a, b) =>
    sameMembers(a.services, b.services) &&
    sameMembers(a.virtualServices, b.virtualServices) &&
    alike(a.aliases, b.aliases),
);

function admittedAliases(
  read: MeshRead,
  hosts: EgressHosts,
  services: readonly Service[],
): ReadonlyMap<Hostname, readonly Hostname[]> {
  const all = read(serviceAliases);
  if (all.size === 0) return all;
  const admitted = services
    .map(({ hostname, namespace }) => ({ hostname, namespace, aliases: all.get(hostname) ?? [] }))
    .map(({ hostname, namespace, aliases }) => [hostname, hosts.admittedAliases(hostname, namespace, aliases)] as const)
    .filter(([, aliases]) => aliases.length > 0);
  return new Map(admitted);
}
