import { NOTHING_FOUND } from '../settings.ts';
import { entry, stating, podAt, policy, svc } from './parts.ts';
import { features, mesh, namespace, serviceEntry, workloadEntry, type Situation } from './situation.ts';

const bySelector = { workloadSelector: { labels: { app: 'b' } } };
const we = (more: object = {}) => workloadEntry('shop/w', { address: '10.1.0.1', labels: { app: 'b' }, ...more });

const tcpEntry = (key: string, host: string, more: object = {}) =>
  serviceEntry(key, {
    hosts: [host],
    ports: [{ name: 'tcp', number: 9000, protocol: 'TCP' }],
    resolution: 'DNS',
    ...more,
  });

export const entrySituations: Readonly<Record<string, Situation>> = {
  'entry endpoint': {
    objects: [entry({ endpoints: [{ address: '10.1.0.3' }] })],
    then: { objects: [entry({ endpoints: [{ address: '10.1.0.1' }] })] },
  },
  'entry selected': { objects: [we()], then: { objects: [entry(bySelector)] } },
  'workload entry of a service': {
    objects: [svc({ selector: { app: 'b' } }), we()],
    then: { objects: [we({ labels: { app: 'b' }, ports: { http: 8081 } })] },
  },
  'workload entry of a service selected': {
    objects: [svc({ selector: { app: 'x' } }), we()],
    then: { objects: [svc({ selector: { app: 'b' } })] },
  },
  'pod of an entry': {
    objects: [entry({ workloadSelector: { labels: { app: 'a' } } })],
    then: { objects: [podAt('shop/a', '10.1.0.1')] },
  },
  'namespace labels': {
    settings: mesh(
      'serviceEntryVisibility: {applyToSidecars: true, policies: [{matchingRules: [{namespaceSelector: {matchLabels: {team: x}}}], visibility: NONE}]}',
    ),
    objects: [entry(), namespace('shop', {})],
    then: { objects: [namespace('shop', {}, { metadata: { labels: { team: 'x' } } })] },
  },
  'allocations of a': {
    objects: [
      serviceEntry('shop/a', {
        hosts: ['x.example'],
        ports: [{ name: 'http', number: 80, protocol: 'HTTP' }],
        resolution: 'DNS',
      }),
    ],
    proxies: [stating({ DNS_CAPTURE: true, DNS_AUTO_ALLOCATE: true })],
    then: { settings: { findings: { ...NOTHING_FOUND, allocations: { 'shop/a': { 'x.example': ['240.240.0.1'] } } } } },
  },
  'labels of an entry workload': {
    objects: [entry(bySelector), we(), policy('a', { selector: { matchLabels: { version: '2' } } })],
    then: { objects: [we({ labels: { app: 'b', version: '2' } })] },
  },
  'feature for pods': {
    objects: [entry({ workloadSelector: { labels: { app: 'a' } } }), podAt('shop/a', '10.1.0.1')],
    then: { settings: features({ PILOT_ENABLE_SERVICEENTRY_SELECT_PODS: 'false' }) },
  },
  'cluster local by suffix': {
    objects: [
      serviceEntry('shop/x', {
        hosts: ['x.kube-system.svc.other.local'],
        ports: [{ name: 'http', number: 80, protocol: 'HTTP' }],
        resolution: 'STATIC',
        endpoints: [{ address: '10.1.0.3' }],
      }),
    ],
    proxies: [stating({ CLUSTER_ID: 'other' })],
    then: { settings: { environment: { domainSuffix: 'other.local', systemNamespace: 'istio-system' } } },
  },
  'addresses by name': {
    settings: features({ PILOT_ENABLE_IP_AUTOALLOCATE: 'false' }),
    // The two names meet in one place; the entry that comes first by its key takes it.
    objects: [tcpEntry('shop/x', 'x.example'), tcpEntry('shop/w', 'h77095.example', { addresses: ['1.1.1.1'] })],
    proxies: [stating({ DNS_CAPTURE: true, DNS_AUTO_ALLOCATE: true })],
    then: { objects: [tcpEntry('shop/w', 'h77095.example')] },
  },
};
