import type { LbEndpoint, Metadata } from '@kedge/envoy-api';
import {
  canonicalName,
  canonicalRevision,
  type Endpoint,
  type Features,
  type HealthStatus,
  type Labels,
} from '@kedge/model';
import { envoyAddress } from '../address.ts';

/** What the metadata of an endpoint tells of its workload. */
export interface EndpointFacts {
  readonly workloadName: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly cluster: string;
  /** Whether clients use mutual TLS towards it. */
  readonly mutualTls: boolean;
}

/** Metadata by which clusters choose the transport socket, and telemetry of the client learns of the server's workload. */
export function endpointMetadata(facts: EndpointFacts, features: Features): Metadata {
  const filterMetadata = {
    ...(facts.mutualTls ? { 'envoy.transport_socket_match': { tlsMode: 'istio' } } : {}),
    ...(features.telemetryLabel && features.endpointTelemetryLabel ? { istio: { workload: workloadText(facts) } } : {}),
  };
  return Object.keys(filterMetadata).length > 0 ? { filterMetadata } : {};
}

/** `workload;namespace;canonical service;canonical revision;cluster`, for there are many endpoints. */
function workloadText({ workloadName, namespace, labels, cluster }: EndpointFacts): string {
  const revision = canonicalRevision(labels);
  const shown = revision === 'latest' ? '' : revision;
  return [workloadName, namespace, canonicalName(labels, workloadName), shown, cluster].join(';');
}

export function isMutualTls({ metadata }: LbEndpoint): boolean {
  return metadata?.filterMetadata?.['envoy.transport_socket_match']?.['tlsMode'] === 'istio';
}

const HEALTH: Readonly<Record<HealthStatus, LbEndpoint['healthStatus']>> = {
  unknown: 'UNKNOWN',
  healthy: 'HEALTHY',
  unhealthy: 'UNHEALTHY',
  draining: 'DRAINING',
  terminating: 'UNHEALTHY',
};

/** Whether an endpoint finishes what it has begun but takes nothing new. */
export function isDraining({ health, labels }: Endpoint, { drainingLabel }: Features): boolean {
  return health === 'draining' || (drainingLabel !== '' && Boolean(labels[drainingLabel]));
}

export function lbEndpoint(endpoint: Endpoint, facts: EndpointFacts, features: Features): LbEndpoint {
  const [first = '', ...others] = endpoint.addresses;
  const additional = features.dualStack ? others : [];
  return {
    endpoint: {
      address: envoyAddress(first, endpoint.port),
      ...(additional.length > 0
        ? { additionalAddresses: additional.map((address) => ({ address: envoyAddress(address, endpoint.port) })) }
        : {}),
    },
    healthStatus: isDraining(endpoint, features) ? 'DRAINING' : HEALTH[endpoint.health],
    metadata: endpointMetadata(facts, features),
    loadBalancingWeight: endpoint.weight || 1,
  };
}
