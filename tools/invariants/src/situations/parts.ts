import {
  authorizationPolicy,
  destinationRule,
  envoyFilter,
  pod,
  service,
  serviceEntry,
  slice,
  virtualService,
} from './situation.ts';

/* What situations have in common. */

export const HOST = 'a.shop.svc.cluster.local';
/** The port that most services have. */
export const web = { name: 'http', port: 80, targetPort: 8080 };
/** The service that most is about, at {@link HOST}. */
export const svc = (more: object = {}, meta: Readonly<Record<string, unknown>> = {}) =>
  service('shop/a', { clusterIP: '10.96.0.1', ports: [web], selector: { app: 'a' }, ...more }, meta);
/** A pod of the service, by address. */
export const podAt = (key: string, ip: string, { labels = {}, spec = {} }: { labels?: object; spec?: object } = {}) =>
  pod(
    key,
    {
      nodeName: 'n1',
      serviceAccountName: 'a',
      containers: [{ name: 'c', ports: [{ name: 'web', containerPort: 8080 }] }],
      ...spec,
    },
    {
      metadata: { labels: { app: 'a', ...labels } },
      status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions: [{ type: 'Ready', status: 'True' }] },
    },
  );
/** Endpoints of a service. */
export const sliceOf = (key: string, of: string, addresses: readonly string[], more: object = {}) =>
  slice(key, undefined, {
    metadata: { labels: { 'kubernetes.io/service-name': of } },
    addressType: 'IPv4',
    ports: [
      { name: 'http', port: 8080, protocol: 'TCP' },
      { name: 'tcp', port: 8080, protocol: 'TCP' },
    ],
    endpoints: addresses.map((ip) => ({ addresses: [ip], ...more })),
  });
/** The service with the pod of the plain sidecar behind it. */
export const own = [svc(), podAt('shop/a', '10.1.0.1'), sliceOf('shop/a-1', 'a', ['10.1.0.1'])];
/** What is outside: x.example. */
export const entry = (more: object = {}) =>
  serviceEntry('shop/x', {
    hosts: ['x.example'],
    ports: [{ name: 'http', number: 80, protocol: 'HTTP' }],
    resolution: 'STATIC',
    ...more,
  });
/** A DestinationRule. */
export const rule = (trafficPolicy: object, host = HOST) => destinationRule('shop/r', { host, trafficPolicy });
/** A VirtualService, for {@link HOST} unless told otherwise. */
export const vs = (http: readonly object[], more: object = {}, key = 'shop/v') =>
  virtualService(key, { hosts: [HOST], http, ...more });
/** A route to a host. */
export const to = (host: string, more: object = {}) => ({ route: [{ destination: { host, ...more } }] });
/** An EnvoyFilter of one patch. */
export const patch = (applyTo: string, operation: string, value: object, match: object = {}) =>
  envoyFilter('shop/e', { configPatches: [{ applyTo, match, patch: { operation, value } }] });
/** An AuthorizationPolicy that lets in one principal. */
export const policy = (principal: string, more: object = {}) =>
  authorizationPolicy('shop/p', { rules: [{ from: [{ source: { principals: [principal] } }] }], ...more });
/** The service, but headless. */
export const headless = (more: object = {}) =>
  svc({ clusterIP: 'None', ports: [{ name: 'tcp', port: 9000, targetPort: 8080 }], ...more });
export const headlessHere = [
  headless(),
  podAt('shop/a', '10.1.0.1'),
  podAt('shop/b', '10.1.0.2'),
  sliceOf('shop/a-1', 'a', ['10.1.0.1', '10.1.0.2']),
];
/** A sidecar that states something in its metadata. */
export const stating = (metadata: object) => ({ metadata });
