import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../parse/json.ts';
import { findings, testRows } from './testing/rows.ts';

describe('ServiceEntry', () => {
  const HTTP = { number: 80, name: 'http', protocol: 'HTTP' };
  const entry = (fields: JsonObject): JsonObject => ({ hosts: ['a.com'], ports: [HTTP], ...fields });
  const TCP = { number: 9000, name: 'tcp', protocol: 'TCP' };
  testRows('ServiceEntry', [
    ['a host by DNS', entry({ resolution: 'DNS' })],
    ['no host', { ports: [HTTP] }, 'error required spec.hosts'],
    ['every host', entry({ hosts: ['*'] }), 'error invalid-host spec.hosts[0]'],
    ['a partial wildcard', entry({ hosts: ['*a.com'] }), 'warning partial-wildcard spec.hosts[0]'],
    ['a wildcard by DNS', entry({ hosts: ['*.a.com'], resolution: 'DNS' }), 'error invalid-host spec.hosts[0]'],
    ['selector and endpoints', entry({ resolution: 'STATIC', workloadSelector: { labels: { a: 'b' } }, endpoints: [{ address: '10.0.0.1' }] }), 'error conflicting-fields spec'], // prettier-ignore
    [
      'a range by DNS',
      entry({ resolution: 'DNS', addresses: ['10.0.0.0/8'] }),
      'error conflicting-fields spec.addresses',
    ],
    ['ports twice', entry({ ports: [HTTP, HTTP] }), 'error duplicate-port-name spec.ports[1].name', 'error duplicate-port spec.ports[1].number'], // prettier-ignore
    ['TCP without address', entry({ ports: [TCP] }), 'warning missing-address spec.ports[0]'],
    ['TCP with an allocated address', entry({ ports: [TCP], resolution: 'DNS' })],
    ['static endpoints', entry({ resolution: 'STATIC', endpoints: [{ address: 'b.com', ports: { grpc: 1 } }] }), 'error invalid-address spec.endpoints[0].address', 'error unknown-port spec.endpoints[0].ports.grpc'], // prettier-ignore
    ['endpoints without resolution', entry({ endpoints: [{ address: '10.0.0.1' }] }), 'error conflicting-fields spec.endpoints'], // prettier-ignore
    ['round robin over two', entry({ resolution: 'DNS_ROUND_ROBIN', endpoints: [{ address: 'b.com' }, { address: 'c.com' }] }), 'error too-many spec.endpoints'], // prettier-ignore
    ['two hosts on TCP', entry({ hosts: ['a.com', 'b.com'], ports: [TCP], resolution: 'DNS' }), 'error ambiguous-host spec.ports'], // prettier-ignore
    ['dynamic DNS', entry({ hosts: ['*.a.com'], resolution: 'DYNAMIC_DNS' })],
    ['dynamic DNS of one host, at an address, over TCP', entry({ ports: [TCP], addresses: ['10.0.0.1'], resolution: 'DYNAMIC_DNS' }), 'error invalid-host spec.hosts[0]', 'error conflicting-fields spec.addresses', 'error invalid-protocol spec.ports[0].protocol'], // prettier-ignore
    ['exported to nobody', entry({ exportTo: ['~'] })],
  ]);

  test('labels switch allocation off, and waypoints on', () => {
    const noAllocation = { labels: { 'networking.istio.io/enable-autoallocate-ip': 'false' } };
    expect(findings('ServiceEntry', entry({ ports: [TCP], resolution: 'DNS' }), noAllocation)).toEqual(['warning missing-address spec.ports[0]']); // prettier-ignore
    const waypoint = { labels: { 'istio.io/use-waypoint': 'w' } };
    const internal = entry({ hosts: ['*.a.com'], resolution: 'DYNAMIC_DNS', location: 'MESH_INTERNAL' });
    expect(findings('ServiceEntry', internal, waypoint)).toEqual(['error unsupported spec.location']);
  });
});

describe('WorkloadEntry', () => {
  testRows('WorkloadEntry', [
    ['an address', { address: '10.0.0.1', ports: { http: 80 } }],
    ['a name', { address: 'a.com' }],
    ['nothing', {}, 'error required spec.address'],
    ['a network', { network: 'west' }, 'warning missing-address spec.address'],
    ['a socket with ports', { address: 'unix:///a', ports: { http: 80 } }, 'error conflicting-fields spec.ports'],
    ['a socket that is a folder', { address: 'unix:///a/' }, 'error invalid-address spec.address'],
    ['bad labels', { address: 'a.com', labels: { 'a/b/c': 'x', d: '-' } }, 'error invalid-label-key spec.labels["a/b/c"]', 'error invalid-label-value spec.labels.d'], // prettier-ignore
  ]);
});

describe('WorkloadGroup', () => {
  const probe = (fields: JsonObject): JsonObject => ({ template: {}, probe: fields });
  testRows('WorkloadGroup', [
    ['a template', { template: {} }],
    ['no template', {}, 'error required spec.template'],
    ['a probe of nothing', probe({ periodSeconds: -1 }), 'error out-of-range spec.probe.periodSeconds', 'error required spec.probe'], // prettier-ignore
    ['an HTTP probe', probe({ httpGet: { port: 0, scheme: 'ftp', httpHeaders: [{ name: 'a b' }] } }), 'error invalid-port spec.probe.httpGet.port', 'error invalid-scheme spec.probe.httpGet.scheme', 'error invalid-header-name spec.probe.httpGet.httpHeaders[0].name'], // prettier-ignore
    ['a command', probe({ exec: {} }), 'error required spec.probe.exec.command'],
  ]);
});
