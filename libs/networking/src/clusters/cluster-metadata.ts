import type { Cluster, JsonObject } from '@kedge/envoy-api';
import type { ObjectRef, Service } from '@kedge/model';
import type { PortPolicy } from './traffic-policy.ts';

/** What telemetry and tools learn from a cluster about its services; only those of Kubernetes have a name beside the host. */
export function serviceMetadata(services: readonly Service[]): JsonObject {
  return {
    services: services.map(({ hostname, provider, name, namespace }) => ({
      host: hostname,
      name: provider === 'Kubernetes' ? name : hostname,
      namespace,
    })),
  };
}

/** The path of a rule's object in the Kubernetes API. */
export function ruleMetadata({ namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>): JsonObject {
  return { config: `/apis/networking.istio.io/v1/namespaces/${namespace}/destination-rule/${name}` };
}

/** Tells Istio's ALPN filter to keep off, where the client itself decided on TLS. */
export function alpnMetadata(tls: PortPolicy['tls']): JsonObject {
  return tls?.mode === 'SIMPLE' || tls?.mode === 'MUTUAL' ? { alpn_override: 'false' } : {};
}

/** The metadata under which Istio's extensions look; nothing where there is nothing to say. */
export function istioMetadata(...parts: readonly JsonObject[]): Cluster {
  const istio = Object.assign({}, ...parts) as JsonObject;
  return Object.keys(istio).length > 0 ? { metadata: { filterMetadata: { istio } } } : {};
}
