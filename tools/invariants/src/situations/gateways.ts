import { HOST, stating, own, svc, to, vs, web } from './parts.ts';
import {
  envoyFilter,
  features,
  gateway,
  ingress,
  mesh,
  requestAuthentication,
  secret,
  service,
  virtualService,
  type Situation,
} from './situation.ts';

const gatewayPod = {
  workload: {
    type: 'router' as const,
    name: 'gateway',
    namespace: 'istio-system',
    address: '10.1.0.50',
    labels: { istio: 'gateway' },
  },
};
const gw = (servers: readonly object[] = [{ port: { number: 80, name: 'http', protocol: 'HTTP' }, hosts: ['*'] }]) =>
  gateway('istio-system/gw', { selector: { istio: 'gateway' }, servers });
const onGateway = { hosts: ['x.example'], gateways: ['istio-system/gw'] };
const secretOf = (ns: string) => secret(`${ns}/cred-a`);
const tlsGateway = gw([
  {
    port: { number: 443, name: 'https', protocol: 'HTTPS' },
    hosts: ['*'],
    tls: { mode: 'SIMPLE', credentialName: 'cred-a' },
  },
]);
const passingOn = gw([
  { port: { number: 443, name: 'tls', protocol: 'TLS' }, hosts: ['*'], tls: { mode: 'AUTO_PASSTHROUGH' } },
]);
const secured = {
  port: { number: 443, name: 'https', protocol: 'HTTPS' },
  hosts: ['x.example'],
  tls: { mode: 'SIMPLE', credentialName: 'cred-a' },
};
const ing = (more: object = {}, host = 'x.example') =>
  ingress('shop/i', {
    rules: [
      {
        host,
        http: {
          paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { name: 'http' } } } }],
        },
      },
    ],
    ...more,
  });

export const gatewaySituations: Readonly<Record<string, Situation>> = {
  'secret access': {
    objects: [secretOf('istio-system'), tlsGateway],
    proxies: [gatewayPod],
    then: { settings: { secretAccess: { trustsStatedIdentity: true, allowsUnreviewed: false } } },
  },
  'secret review': {
    objects: [secretOf('istio-system'), tlsGateway],
    proxies: [gatewayPod],
    then: { settings: { reviews: { 'istio-system/gateway': false } } },
  },
  'who is verified': {
    settings: { secretAccess: { trustsStatedIdentity: false, allowsUnreviewed: true } },
    objects: [secretOf('istio-system'), tlsGateway],
    proxies: [gatewayPod, { ...gatewayPod, verified: true }],
  },
  'which account is verified': {
    settings: { reviews: { 'istio-system/gateway': false } },
    objects: [secretOf('istio-system'), tlsGateway],
    proxies: [
      { ...gatewayPod, verified: true },
      { workload: { ...gatewayPod.workload, name: 'other' }, verified: true },
    ],
  },
  'which account is stated': {
    settings: { reviews: { 'istio-system/gateway': false } },
    objects: [secretOf('istio-system'), tlsGateway],
    proxies: [gatewayPod, { ...gatewayPod, ...stating({ SERVICE_ACCOUNT: 'other' }) }],
  },
  'which namespace is stated': {
    objects: [secretOf('istio-system'), tlsGateway],
    proxies: [gatewayPod, { ...gatewayPod, ...stating({ NAMESPACE: 'shop' }) }],
  },
  'gateway routes vanish': {
    objects: [...own, gw(), vs([to(HOST)], onGateway)],
    proxies: [gatewayPod],
    then: { objects: [vs([{ match: [{ gateways: ['mesh'] }], ...to(HOST) }], onGateway)] },
  },
  'gateway service ports': {
    objects: [
      ...own,
      gw(),
      vs([to(HOST)], onGateway),
      service('istio-system/gateway', {
        clusterIP: '10.96.0.7',
        ports: [{ name: 'http', port: 80, targetPort: 8080 }],
        selector: { istio: 'gateway' },
      }),
    ],
    proxies: [gatewayPod],
    then: {
      objects: [
        service('istio-system/gateway', {
          clusterIP: '10.96.0.7',
          ports: [{ name: 'http', port: 80, targetPort: 8081 }],
          selector: { istio: 'gateway' },
        }),
      ],
    },
  },
  'ingress port by name': {
    objects: [...own, ing()],
    proxies: [gatewayPod],
    then: { objects: [svc({ ports: [{ ...web, port: 8080 }] })] },
  },
  'ingress path': {
    objects: [...own, ing()],
    proxies: [gatewayPod],
    then: {
      objects: [
        ing({
          rules: [
            {
              host: 'x.example',
              http: {
                paths: [{ path: '/a', pathType: 'Exact', backend: { service: { name: 'a', port: { number: 80 } } } }],
              },
            },
          ],
        }),
      ],
    },
  },
  'auto passthrough ends': {
    objects: [...own, passingOn],
    proxies: [gatewayPod],
    then: { objects: [gw()] },
  },
  'a service that a gateway only passes on to': {
    settings: features({ PILOT_FILTER_GATEWAY_CLUSTER_CONFIG: 'true' }),
    objects: [...own, passingOn],
    proxies: [gatewayPod],
    then: { objects: [service('shop/b', { clusterIP: '10.96.0.2', ports: [web] })] },
  },
  'gateway destination': {
    objects: [...own, gw(), vs([to(HOST)], onGateway)],
    proxies: [gatewayPod],
    then: { objects: [svc({ ports: [{ ...web, port: 81 }] })] },
  },
  'gateway asks for referenced hosts': {
    settings: features({ PILOT_FILTER_GATEWAY_CLUSTER_CONFIG: 'true' }),
    objects: [
      ...own,
      service('shop/b', { clusterIP: '10.96.0.2', ports: [web] }),
      gw(),
      virtualService('shop/v', { ...onGateway, http: [to(HOST, { port: { number: 80 } })] }),
    ],
    proxies: [gatewayPod],
    then: {
      objects: [
        virtualService('shop/v', { ...onGateway, http: [to('b.shop.svc.cluster.local', { port: { number: 80 } })] }),
      ],
    },
  },
  'provider of a service': {
    settings: { ...features({ PILOT_FILTER_GATEWAY_CLUSTER_CONFIG: 'true' }) },
    objects: [service('shop/b', { clusterIP: '10.96.0.2', ports: [web] }), gw()],
    proxies: [gatewayPod],
    then: { settings: mesh(`extensionProviders: [{name: z, zipkin: {service: b.shop.svc.cluster.local, port: 80}}]`) },
  },
  'keys of a service': {
    settings: features({ PILOT_JWT_ENABLE_REMOTE_JWKS: 'true', PILOT_FILTER_GATEWAY_CLUSTER_CONFIG: 'true' }),
    objects: [
      service('shop/b', { clusterIP: '10.96.0.2', ports: [web] }),
      gw(),
      requestAuthentication('istio-system/j', {
        jwtRules: [{ issuer: 'issuer-a', jwksUri: 'http://other.example/keys' }],
      }),
    ],
    proxies: [gatewayPod],
    then: {
      objects: [
        requestAuthentication('istio-system/j', {
          jwtRules: [{ issuer: 'issuer-a', jwksUri: 'http://b.shop.svc.cluster.local/keys' }],
        }),
      ],
    },
  },
  'ingress of others': {
    objects: [...own, ing()],
    proxies: [gatewayPod],
    then: { settings: mesh('ingressSelector: other') },
  },
  'another server whose routes are named by the same port': {
    objects: [
      service('istio-system/gateway', {
        clusterIP: '10.96.0.7',
        ports: [
          { name: 'https', port: 443, targetPort: 8443 },
          { name: 'http', port: 80, targetPort: 443 },
        ],
        selector: { istio: 'gateway' },
      }),
      gw([secured]),
      envoyFilter('istio-system/e', {
        configPatches: [
          {
            applyTo: 'ROUTE_CONFIGURATION',
            match: { context: 'GATEWAY', routeConfiguration: { portNumber: 80 } },
            patch: { operation: 'MERGE', value: { request_headers_to_remove: ['x'] } },
          },
        ],
      }),
    ],
    proxies: [gatewayPod],
    then: { objects: [gw([secured, { port: { number: 80, name: 'http', protocol: 'HTTP' }, hosts: ['*'] }])] },
  },
};
