import { headlessHere, stating, own, podAt, sliceOf, svc, web } from './parts.ts';
import { mesh, namespace, node, service, type Situation } from './situation.ts';

const lb = (ip: string, labels: object = { 'topology.istio.io/network': 'net-b' }) =>
  service(
    'shop/gw',
    {
      type: 'LoadBalancer',
      clusterIP: '10.96.0.9',
      ports: [{ name: 'tls', port: 15443, targetPort: 15443 }],
      selector: { app: 'gw' },
    },
    { metadata: { labels }, status: { loadBalancer: { ingress: [{ ip }] } } },
  );
const farPod = (network: string) =>
  podAt('shop/b', '10.1.0.2', {
    labels: { 'topology.istio.io/network': network, 'security.istio.io/tlsMode': 'istio' },
  });

export const serviceSituations: Readonly<Record<string, Situation>> = {
  'network gateway labelled': {
    objects: [
      svc(),
      farPod('net-b'),
      sliceOf('shop/a-1', 'a', ['10.1.0.2'], { targetRef: { kind: 'Pod', name: 'b', namespace: 'shop' } }),
      lb('10.2.0.1', {}),
    ],
    proxies: [stating({ NETWORK: 'net-a' })],
    then: { objects: [lb('10.2.0.1')] },
  },
  'network gateway address': {
    objects: [
      svc(),
      farPod('net-b'),
      sliceOf('shop/a-1', 'a', ['10.1.0.2'], { targetRef: { kind: 'Pod', name: 'b', namespace: 'shop' } }),
      lb('10.2.0.1'),
    ],
    proxies: [
      stating({ NETWORK: 'net-a' }),
      stating({}),
      stating({ NETWORK: 'net-b' }),
      stating({ NETWORK: 'net-a', REQUESTED_NETWORK_VIEW: 'net-a' }),
    ],
    then: { objects: [lb('10.2.0.2')] },
  },
  'headless endpoint mtls': {
    objects: headlessHere,
    then: {
      objects: [
        podAt('shop/a', '10.1.0.1', { labels: { 'security.istio.io/tlsMode': 'istio' } }),
        podAt('shop/b', '10.1.0.2', { labels: { 'security.istio.io/tlsMode': 'istio' } }),
      ],
    },
  },
  'headless grows': {
    objects: headlessHere,
    then: { objects: [sliceOf('shop/a-1', 'a', ['10.1.0.1', '10.1.0.2', '10.1.0.3'])] },
  },
  node: {
    objects: [...own, node('n1', {}, { metadata: { labels: { 'topology.kubernetes.io/region': 'r1' } } })],
    then: { objects: [node('n1', {}, { metadata: { labels: { 'topology.kubernetes.io/region': 'r2' } } })] },
  },
  'forwards host': {
    objects: [...own],
    then: { settings: mesh('defaultConfig: {proxyHeaders: {xForwardedHost: {enabled: true}}}') },
  },
  'attempt count of services elsewhere': {
    objects: own,
    proxies: [{ workload: { name: 'c', namespace: 'bank', address: '10.1.0.77', labels: {} } }],
    then: { settings: mesh('defaultConfig: {proxyHeaders: {attemptCount: {disabled: true}}}') },
  },
  assignments: { objects: own, then: { objects: [svc({ ports: [{ ...web, port: 81 }] })] } },
  'system namespace seen': {
    objects: [
      svc(),
      podAt('shop/b', '10.1.0.2'),
      sliceOf('shop/a-1', 'a', ['10.1.0.2']),
      namespace('bank', {}, { metadata: { labels: { 'topology.istio.io/network': 'net-b' } } }),
    ],
    proxies: [stating({ REQUESTED_NETWORK_VIEW: 'net-a' })],
    then: { settings: { environment: { domainSuffix: 'cluster.local', systemNamespace: 'bank' } } },
  },
};
