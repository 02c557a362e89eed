import { endpointAddress, hasVirtualService, hostOf, type MeshShape, namespaceOf, serviceAddress } from './shape.ts';

/** What a ServiceEntry has of its own; the rest follows from the number of the service. */
interface ServiceEntryValues {
  readonly name: string;
  readonly host: string;
  readonly address: string;
  readonly endpoints: readonly string[];
}

/** Addresses of all endpoints of a service. */
export function addressesOf(service: number, { endpoints }: MeshShape): readonly string[] {
  return Array.from({ length: endpoints }, (_, endpoint) => endpointAddress(service, endpoint));
}

export function serviceEntry(service: number, shape: MeshShape, values: Partial<ServiceEntryValues> = {}): string {
  const { name = `svc-${service}`, host = hostOf(service, shape) } = values;
  const { address = serviceAddress(service), endpoints = addressesOf(service, shape) } = values;
  const lines = endpoints.map(
    (endpoint, index) => `  - address: ${endpoint}
    serviceAccount: svc-${service}
    locality: region-1/zone-${index % 3}
    labels: {app: svc-${service}, version: v${1 + (index % 2)}, security.istio.io/tlsMode: istio}
`,
  );
  return `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata:
  name: ${name}
  namespace: ${namespaceOf(service, shape)}
spec:
  hosts: [${host}]
  addresses: [${address}]
  location: MESH_INTERNAL
  resolution: STATIC
  ports:
  - {number: 80, name: http, protocol: HTTP, targetPort: 8080}
  endpoints:
${lines.join('')}`;
}

/** @param mark a value of a header in the first match, by which its routes are told apart from former ones. */
export function virtualService(service: number, shape: MeshShape, mark = 'none'): string {
  const host = hostOf(service, shape);
  return `apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: svc-${service}
  namespace: ${namespaceOf(service, shape)}
spec:
  hosts: [${host}]
  http:
  - name: beta
    match:
    - headers: {x-user: {exact: beta-${mark}}}
    route:
    - destination: {host: ${host}, subset: v2}
    timeout: 5s
  - name: api
    match:
    - uri: {prefix: /api}
    route:
    - destination: {host: ${host}, subset: v1}
      weight: 90
    - destination: {host: ${host}, subset: v2}
      weight: 10
    retries: {attempts: 3, perTryTimeout: 2s}
  - route:
    - destination: {host: ${host}, subset: v1}
`;
}

const SUBSETS = `  subsets:
  - {name: v1, labels: {version: v1}}
  - {name: v2, labels: {version: v2}}
`;

export function destinationRule(service: number, shape: MeshShape, maxConnections = 100): string {
  return `apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata:
  name: svc-${service}
  namespace: ${namespaceOf(service, shape)}
spec:
  host: ${hostOf(service, shape)}
  trafficPolicy:
    connectionPool:
      tcp: {maxConnections: ${maxConnections}}
      http: {http2MaxRequests: 1000}
    outlierDetection: {consecutive5xxErrors: 7, interval: 30s, baseEjectionTime: 30s}
${hasVirtualService(service, shape) ? SUBSETS : ''}`;
}

/** @param mark a path that is allowed, by which the policy is told apart from former ones. */
export function authorizationPolicy(namespace: string, mark = 'none'): string {
  return `apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata:
  name: allow
  namespace: ${namespace}
spec:
  action: ALLOW
  rules:
  - from:
    - source: {namespaces: [${namespace}, ns-0, ns-1]}
    to:
    - operation: {methods: [GET, POST], paths: ["/api/*", "/${mark}"]}
  - from:
    - source: {principals: ["cluster.local/ns/istio-system/sa/gateway"]}
`;
}

export const peerAuthentication = (namespace: string, mode: 'STRICT' | 'PERMISSIVE'): string =>
  `apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: ${namespace}}
spec: {mtls: {mode: ${mode}}}
`;

export const telemetry = `apiVersion: telemetry.istio.io/v1
kind: Telemetry
metadata: {name: mesh, namespace: istio-system}
spec:
  accessLogging:
  - providers: [{name: envoy}]
  metrics:
  - providers: [{name: prometheus}]
`;

export const sidecar = (namespace: string): string => `apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: default, namespace: ${namespace}}
spec:
  egress:
  - hosts: ["./*", "istio-system/*"]
`;

export const meshConfig = `rootNamespace: istio-system
trustDomain: cluster.local
accessLogFile: ""
defaultConfig:
  discoveryAddress: istiod.istio-system.svc:15012
  tracing: {}
`;
