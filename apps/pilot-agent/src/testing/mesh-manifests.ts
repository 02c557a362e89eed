interface MeshPorts {
  /** Of the service: connections to it are kept, */
  readonly kept: number;
  /** and those to this one are for one request each. */
  readonly fresh: number;
  /** Of the server's application, on loopback. */
  readonly application: number;
}

export interface MeshManifestsOptions extends MeshPorts {
  /** Whether the server is a machine that registers itself, not a pod. */
  readonly isMachine?: boolean;
}

type EachPort = (line: (name: string, port: number) => string) => string;

/** A policy for all, under which nothing but mutual TLS is taken. */
export const STRICT = `
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: istio-system}
spec: {mtls: {mode: STRICT}}`;

/** A client and a server in the namespace `shop`, with nothing redirected. */
export function meshManifests({ kept, fresh, application, isMachine = false }: MeshManifestsOptions): string {
  const ports = { kept, fresh };
  const each: EachPort = (line) =>
    Object.entries(ports)
      .map(([name, port]) => line(name, port))
      .join('\n');
  return `
apiVersion: v1
kind: Service
metadata: {name: server, namespace: shop}
spec:
  clusterIP: 10.96.0.1
  selector: {app: server}
  ports:
${each((name, port) => `  - {name: http-${name}, port: ${port}}`)}
---
${pod('client', '127.0.0.2')}
---
${isMachine ? group : `${pod('server', '127.0.0.3')}\n---\n${slice(each)}`}
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: server, namespace: shop}
spec:
  host: server.shop.svc.cluster.local
  trafficPolicy:
    portLevelSettings:
    - port: {number: ${fresh}}
      connectionPool: {http: {maxRequestsPerConnection: 1}}
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: server, namespace: shop}
spec:
  hosts: [server.shop.svc.cluster.local]
  http:
  - retries: {attempts: 0}
    route: [{destination: {host: server.shop.svc.cluster.local}}]
---
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: client, namespace: shop}
spec:
  workloadSelector: {labels: {app: client}}
  egress:
${each(
  (name, port) => `  - port: {name: http-${name}, number: ${port}, protocol: HTTP}
    bind: 127.0.0.2
    captureMode: NONE
    hosts: ["./server.shop.svc.cluster.local"]`,
)}
---
apiVersion: networking.istio.io/v1
kind: Sidecar
metadata: {name: server, namespace: shop}
spec:
  workloadSelector: {labels: {app: server}}
  ingress:
${each(
  (name, port) => `  - port: {name: http-${name}, number: ${port}, protocol: HTTP}
    bind: 127.0.0.3
    captureMode: NONE
    defaultEndpoint: 127.0.0.1:${application}`,
)}
  egress:
  - hosts: ["~/*"]
`;
}

const group = `apiVersion: networking.istio.io/v1
kind: WorkloadGroup
metadata: {name: server, namespace: shop}
spec:
  metadata: {labels: {app: server, security.istio.io/tlsMode: istio}}
  template: {serviceAccount: server}`;

const slice = (each: EachPort): string => `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: server
  namespace: shop
  labels: {kubernetes.io/service-name: server}
addressType: IPv4
ports:
${each((name, port) => `- {name: http-${name}, port: ${port}, protocol: TCP}`)}
endpoints:
- addresses: [127.0.0.3]
  conditions: {ready: true}
  targetRef: {kind: Pod, name: server, namespace: shop}`;

const pod = (name: string, address: string): string => `
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  namespace: shop
  labels: {app: ${name}, security.istio.io/tlsMode: istio}
spec:
  serviceAccountName: ${name}
  containers: [{name: app, image: app}]
status:
  phase: Running
  podIP: ${address}
  podIPs: [{ip: ${address}}]
  conditions: [{type: Ready, status: 'True'}]`;
