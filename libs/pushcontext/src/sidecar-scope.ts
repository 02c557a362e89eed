import { query } from '@kedge/incremental';
import type { ConfigOf, Hostname, IstioEgressListener, Service, SidecarOutboundTrafficPolicy } from '@kedge/model';
import { type MeshRead } from '@kedge/config';
import { discovered } from './discovered.ts';
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
import { meshConfig, rootNamespace } from './mesh.ts';
import { compareAge } from './precedence.ts';
import { configNamespace, nodeType } from './proxy-facts.ts';
import { proxyMatches } from './proxy-workload.ts';
import { serviceAliases } from './service-aliases.ts';
import { MESH_GATEWAY, type VirtualServiceHead, virtualServicesFor } from './virtual-services.ts';
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

/** What of the mesh a proxy sees. */
export interface SidecarScope {
  readonly namespace: string;
  readonly sidecar: ConfigOf<'Sidecar'> | undefined;
  readonly egress: readonly EgressListener[];
  readonly outboundTrafficPolicy: SidecarOutboundTrafficPolicy | undefined;
}

/** Sidecars of a namespace in the order in which they are tried: with selector first, then by age. */
const sidecarsOf = query(
  'sidecarsOf',
  (read: MeshRead, namespace: string) =>
    discovered(read, 'Sidecar', namespace).toSorted(
      (a, b) => Number(!a.spec.workloadSelector) - Number(!b.spec.workloadSelector) || compareAge(a, b),
    ),
  sameMembers,
);

/** The Sidecar that counts for the proxy: its namespace's, else the root namespace's. */
export const sidecarOf = query('sidecarOf', (read: MeshRead): ConfigOf<'Sidecar'> | undefined => {
  const own = read(sidecarsOf, read.fact(configNamespace)).find(
    ({ spec }) => !spec.workloadSelector || proxyMatches(read, spec.workloadSelector.labels),
  );
  return own ?? read(sidecarsOf, rootNamespace(read)).find(({ spec }) => !spec.workloadSelector);
});

/** The scope of the proxy. Proxies of a namespace that have the same Sidecar share it. */
export const sidecarScope = query(
  'sidecarScope',
  (read: MeshRead): SidecarScope => {
    if (read.fact(nodeType) !== 'sidecar') return read(openScope, read.fact(configNamespace));
    const sidecar = read.by(sidecarOf);
    const namespace = read.fact(configNamespace);
    const egress = egressTexts(sidecar).map((text) => read(egressListener, namespace, text));
    const policy = sidecar?.spec.outboundTrafficPolicy ?? meshOutboundPolicy(read);
    return { namespace, sidecar, egress, outboundTrafficPolicy: policy };
  },
  sameScope,
);

/** The scope of gateways and waypoints, which no Sidecar limits: all that their namespace may see. */
const openScope = query(
  'openScope',
  (read: MeshRead, namespace: string): SidecarScope => {
    const virtualServices = read(virtualServicesFor, namespace, MESH_GATEWAY);
    return {
      namespace,
      sidecar: undefined,
      egress: [{ spec: undefined, services: [], aliases: new Map(), virtualServices }],
      outboundTrafficPolicy: undefined,
    };
  },
  sameScope,
);

function meshOutboundPolicy(read: MeshRead): SidecarOutboundTrafficPolicy | undefined {
  const mode = meshConfig(read).outboundTrafficPolicy?.mode;
  return mode ? ({ mode } as SidecarOutboundTrafficPolicy) : undefined;
}

function sameScope(a: SidecarScope, b: SidecarScope): boolean {
  return (
    a.namespace === b.namespace &&
    a.sidecar === b.sidecar &&
    sameMembers(a.egress, b.egress) &&
    alike(a.outboundTrafficPolicy, b.outboundTrafficPolicy)
  );
}

/** An egress listener by what it says (as JSON), so that namespaces' equal listeners need not be told apart by position. */
const egressListener = query(
  'egressListener',
  (read: MeshRead, namespace: string, text: string): EgressListener => {
    const hosts = read(egressHosts, namespace, text);
    const services = importedServices(read(visibleServices, namespace), hosts, namespace, matchedPort(text));
    const virtualServices = read(egressVirtualServices, namespace, text);
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
