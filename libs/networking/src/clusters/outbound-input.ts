import type { MeshRead } from '@kedge/config';
import { type ObjectRef, portNumbered, type Service, type ServicePort, type Subset } from '@kedge/model';
import { destinationRule, type MergedDestinationRule, meshConfig } from '@kedge/pushcontext';
import type { Origin } from '../guard.ts';
import { type OutboundClusterName, parseOutboundClusterName } from './cluster-name.ts';
import { outboundService } from './outbound-service.ts';
import { overlay, type PortPolicy, portPolicy, withMeshDefaults } from './traffic-policy.ts';

/** What an outbound cluster is made from. */
export interface OutboundInput {
  readonly name: string;
  readonly target: OutboundClusterName;
  readonly service: Service;
  readonly port: ServicePort;
  readonly rule: MergedDestinationRule | undefined;
  readonly subset: Subset | undefined;
  /** The rule's policy for the port over the mesh's defaults; what the subset says lies over it in `policy`. */
  readonly basePolicy: PortPolicy;
  readonly policy: PortPolicy;
}

/** Undefined for names of clusters that the proxy doesn't have. */
export function outboundInput(read: MeshRead, name: string): OutboundInput | undefined {
  const target = parseOutboundClusterName(name);
  if (!target) return undefined;
  const service = read.by(outboundService, target.host, target.port);
  const port = service && portNumbered(service, target.port);
  if (!service || !port || service.resolution === 'alias') return undefined;
  const rule = read.by(destinationRule, target.host, service.namespace);
  const subset = rule?.subsets.find((one) => one.name === target.subset);
  if (target.subset !== '' && !subset) return undefined;
  const basePolicy = withMeshDefaults(portPolicy(rule?.trafficPolicy, port.port), meshConfig(read));
  const policy = overlay(basePolicy, subset?.trafficPolicy, port.port) ?? basePolicy;
  return { name, target, service, port, rule, subset, basePolicy, policy };
}

/** The objects that a cluster is made from, the likeliest to be at fault first. */
export function origins({ rule, service, subset, port }: OutboundInput): readonly Origin[] {
  const field = subset ? `spec.subsets[${subset.name}]` : 'spec.trafficPolicy';
  return [...(rule?.from ?? []).map((object) => ({ ...object, field })), servicePortOrigin(service, port)];
}

function servicePortOrigin(service: Service, { name, port }: ServicePort): Origin {
  return { ...serviceRef(service), field: `spec.ports[${name || port}]` };
}

/** The object that defines a service. */
export function serviceRef({ provider, namespace, name }: Service): ObjectRef {
  return { kind: provider === 'Kubernetes' ? 'Service' : 'ServiceEntry', namespace, name };
}
