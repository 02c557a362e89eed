import { HOST, entry, headless, own, rule, svc, to, vs, web } from './parts.ts';
import { features, mesh, service, serviceEntry, sidecar, virtualService, type Situation } from './situation.ts';

const alias = service('shop/b', { type: 'ExternalName', externalName: HOST, ports: [web] });

const wide = { hosts: ['*.shop.svc.cluster.local'] };

export const trafficSituations: Readonly<Record<string, Situation>> = {
  'a rule for all': {
    objects: own,
    then: { objects: [rule({ connectionPool: { tcp: { maxConnections: 1 } } }, '*.shop.svc.cluster.local')] },
  },
  'a rule for all says something else': {
    objects: [...own, rule({ connectionPool: { tcp: { maxConnections: 1 } } }, '*.shop.svc.cluster.local')],
    then: { objects: [rule({ connectionPool: { tcp: { maxConnections: 2 } } }, '*.shop.svc.cluster.local')] },
  },
  'a hash': {
    objects: [...own, rule({ loadBalancer: { consistentHash: { httpHeaderName: 'x' } } })],
    then: { objects: [rule({ loadBalancer: { consistentHash: { httpHeaderName: 'y' } } })] },
  },
  'alias with route': {
    objects: [
      ...own,
      alias,
      entry(),
      vs([to('b.shop.svc.cluster.local')], { hosts: ['z.example', 'b.shop.svc.cluster.local'] }),
    ],
    then: { objects: [service('shop/b', { type: 'ExternalName', externalName: 'x.example', ports: [web] })] },
  },
  'alias that only its own namespace sees': {
    objects: own,
    then: {
      objects: [
        service(
          'bank/b',
          { type: 'ExternalName', externalName: HOST, ports: [web] },
          { metadata: { annotations: { 'networking.istio.io/exportTo': '.' } } },
        ),
      ],
    },
  },
  'egress proxy': {
    objects: [...own, sidecar('shop/default', { outboundTrafficPolicy: { mode: 'ALLOW_ANY' } })],
    then: {
      objects: [
        sidecar('shop/default', {
          outboundTrafficPolicy: { mode: 'ALLOW_ANY', egressProxy: { host: HOST, port: { number: 80 } } },
        }),
      ],
    },
  },
  'routes broken': {
    objects: [...own, vs([to(HOST)])],
    then: { objects: [vs([{ match: [{ port: 81 }], ...to(HOST) }])] },
  },
  'l4 routes': {
    objects: [
      headless({ clusterIP: '10.96.0.1' }),
      entry(),
      virtualService('shop/v', { hosts: [HOST], tcp: [to('x.example')] }),
    ],
    then: { objects: [virtualService('shop/v', { hosts: [HOST], tcp: [to('x.example', { subset: 'v1' })] })] },
  },
  'sidecar destinations': {
    objects: [...own, entry(), vs([to(HOST)]), sidecar('shop/default', { egress: [{ hosts: [`shop/${HOST}`] }] })],
    then: { objects: [vs([to('x.example')])] },
  },
  'host becomes an alias': {
    objects: [
      ...own,
      service('shop/b', { clusterIP: '10.96.0.2', ports: [web] }),
      vs([to('b.shop.svc.cluster.local', { port: { number: 80 } })], { hosts: ['z.example'] }),
    ],
    then: { objects: [alias] },
  },
  'dynamic dns by Sidecar': {
    settings: mesh('outboundTrafficPolicy: {mode: ALLOW_ANY_DYNAMIC_DNS}'),
    objects: [
      ...own,
      headless({ clusterIP: '10.96.0.1' }),
      sidecar('shop/default', { outboundTrafficPolicy: { mode: 'ALLOW_ANY' } }),
    ],
    then: { objects: [sidecar('shop/default', { egress: [{ hosts: ['*/*'] }] })] },
  },
  'destinations of a namespace': {
    objects: [...own, entry(), vs([to(HOST)]), sidecar('shop/default', { egress: [{ hosts: [`shop/${HOST}`] }] })],
    then: { objects: [vs([{ match: [{ sourceNamespace: 'shop' }], ...to('x.example') }, to(HOST)])] },
  },
  'short host': {
    objects: [
      serviceEntry('shop/x', {
        hosts: ['a.shop.svc.other.local'],
        ports: [{ name: 'http', number: 80, protocol: 'HTTP' }],
        resolution: 'STATIC',
        endpoints: [{ address: '10.1.0.3' }],
      }),
      virtualService('shop/v', { hosts: ['a'], http: [{ ...to('x.example'), timeout: '3s' }] }),
    ],
    then: { settings: { environment: { domainSuffix: 'other.local', systemNamespace: 'istio-system' } } },
  },
  sessions: {
    settings: features({ PILOT_ENABLE_PERSISTENT_SESSION_FILTER: 'true' }),
    objects: [
      svc({}, { metadata: { labels: { 'istio.io/persistent-session': 'x' } } }),
      vs([to(HOST)], { hosts: ['z.example'] }),
    ],
    then: { objects: [svc({}, { metadata: { labels: { 'istio.io/persistent-session': 'y' } } })] },
  },
  'the first of two for a host has nothing to say': {
    objects: [...own, vs([to(HOST)], wide), vs([{ ...to(HOST), timeout: '3s' }], wide, 'shop/w')],
    then: { objects: [vs([{ match: [{ port: 81 }], ...to(HOST) }], wide)] },
  },
};
