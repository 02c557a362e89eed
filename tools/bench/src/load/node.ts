import { encode } from '@kedge/envoy-api';
import { endpointAddress, type MeshShape, namespaceOf } from '../mesh/shape.ts';

export interface ProxyIdentity {
  readonly namespace: string;
  /** An encoded `envoy.config.core.v3.Node`. */
  readonly node: Buffer;
}

/** The proxy of an endpoint: proxies stand for the endpoints of the first services, one after the other. */
export function proxyIdentity(index: number, shape: MeshShape): ProxyIdentity {
  const service = Math.floor(index / shape.endpoints) % shape.services;
  const address = endpointAddress(service, index % shape.endpoints);
  const namespace = namespaceOf(service, shape);
  const app = `svc-${service}`;
  const name = `pod-${index}`;
  const node = encode('envoy.config.core.v3.Node', {
    id: `sidecar~${address}~${name}.${namespace}~${namespace}.svc.cluster.local`,
    cluster: `${app}.${namespace}`,
    userAgentName: 'envoy',
    userAgentBuildVersion: {},
    locality: { region: 'region-1', zone: `zone-${index % 3}` },
    metadata: {
      NAME: name,
      NAMESPACE: namespace,
      CLUSTER_ID: 'Kubernetes',
      ISTIO_VERSION: '1.32.0',
      MESH_ID: 'cluster.local',
      SERVICE_ACCOUNT: app,
      WORKLOAD_NAME: app,
      INTERCEPTION_MODE: 'REDIRECT',
      INSTANCE_IPS: address,
      APP_CONTAINERS: 'app',
      NODE_NAME: `node-${index % 10}`,
      ENVOY_PROMETHEUS_PORT: 15090,
      ENVOY_STATUS_PORT: 15021,
      OWNER: `kubernetes://apis/apps/v1/namespaces/${namespace}/deployments/${app}`,
      PILOT_SAN: ['istiod.istio-system.svc'],
      LABELS: {
        app,
        version: 'v1',
        'security.istio.io/tlsMode': 'istio',
        'service.istio.io/canonical-name': app,
        'service.istio.io/canonical-revision': 'v1',
      },
      PROXY_CONFIG: {
        discoveryAddress: 'istiod.istio-system.svc:15012',
        serviceCluster: 'istio-proxy',
        configPath: './etc/istio/proxy',
        statNameLength: 189,
        statusPort: 15020,
        proxyAdminPort: 15000,
        controlPlaneAuthPolicy: 'MUTUAL_TLS',
        drainDuration: '45s',
        terminationDrainDuration: '5s',
      },
    },
  });
  return { namespace, node: Buffer.from(node) };
}
