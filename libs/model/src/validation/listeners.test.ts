import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../parse/json.ts';
import { findings, testRows } from './testing/rows.ts';

describe('Gateway', () => {
  const HTTP = { number: 80, name: 'http', protocol: 'HTTP' };
  const HTTPS = { number: 443, name: 'https', protocol: 'HTTPS' };
  const gateway = (server: JsonObject): JsonObject => ({ servers: [{ hosts: ['a.com'], port: HTTP, ...server }] });
  const secured = (tls: JsonObject): JsonObject => gateway({ port: HTTPS, tls });
  const S = 'spec.servers[0]';
  testRows('Gateway', [
    ['an HTTP server', gateway({})],
    ['no server', {}, 'error required spec.servers'],
    ['hosts of namespaces', gateway({ hosts: ['*/a.com', './b.com', 'shop/*.c.com', '10.0.0.1'] })],
    ['hosts that are none', gateway({ hosts: ['a', '*a.com', 'shop/'] }), `error invalid-host ${S}.hosts[0]`, `error invalid-host ${S}.hosts[1]`, `error invalid-host ${S}.hosts[2]`, `error invalid-host ${S}.hosts[2]`], // prettier-ignore
    ['a port for a tunnel of the mesh', gateway({ port: { ...HTTP, protocol: 'HBONE' } }), `error invalid-protocol ${S}.port.protocol`], // prettier-ignore
    ['a socket', gateway({ port: { ...HTTP, number: 0 }, bind: 'unix:///run/a.sock' })],
    ['a socket with a port', gateway({ bind: 'unix://a' }), `error invalid-address ${S}.bind`, `error conflicting-fields ${S}.bind`], // prettier-ignore
    ['HTTPS without TLS', gateway({ port: HTTPS }), `error required ${S}.tls`],
    ['HTTP that redirects', gateway({ tls: { httpsRedirect: true } })],
    [
      'HTTP with certificates',
      gateway({ tls: { mode: 'SIMPLE', credentialName: 'a' } }),
      `error conflicting-fields ${S}.tls`,
    ],
    ['mutual TLS without CA', secured({ mode: 'MUTUAL', serverCertificate: 'a', privateKey: 'b' }), `error required ${S}.tls.caCertificates`], // prettier-ignore
    ['two sources of certificates', secured({ mode: 'SIMPLE', credentialName: 'a', credentialNames: ['b'] }), `error conflicting-fields ${S}.tls`], // prettier-ignore
    ['certificates of the mesh and own', secured({ mode: 'ISTIO_MUTUAL', credentialName: 'a' }), `error conflicting-fields ${S}.tls.credentialName`], // prettier-ignore
    ['certificates that pass through', secured({ mode: 'PASSTHROUGH', credentialName: 'a' }), `warning ineffective-field ${S}.tls`], // prettier-ignore
    ['old TLS, odd ciphers', secured({ mode: 'SIMPLE', credentialName: 'a', cipherSuites: ['ROT13', 'AES128-SHA', 'AES128-SHA'] }), `warning unknown-cipher ${S}.tls.cipherSuites[0]`, `warning duplicate-entry ${S}.tls.cipherSuites[2]`], // prettier-ignore
  ]);

  test('its name is a label, unless it comes from the Gateway API', () => {
    const annotations = { 'internal.istio.io/gateway-semantics': 'gateway' };
    expect(findings('Gateway', gateway({}), { name: 'a.b' })).toEqual(['error invalid-name metadata.name']);
    expect(findings('Gateway', gateway({ hosts: ['~/a.com'] }), { name: 'a.b', annotations })).toEqual([]);
  });
});

describe('Sidecar', () => {
  const ingress = (listener: JsonObject): JsonObject => ({
    ingress: [{ port: { number: 80, protocol: 'HTTP', name: 'http' }, defaultEndpoint: '127.0.0.1:8080', ...listener }],
  });
  const egress = (...egress: JsonObject[]): JsonObject => ({ egress });
  const I = 'spec.ingress[0]';
  const E = 'spec.egress[0]';
  testRows('Sidecar', [
    ['nothing', {}, 'error empty spec'],
    ['an ingress listener', ingress({})],
    [
      'an endpoint elsewhere',
      ingress({ defaultEndpoint: '10.0.0.1:80' }),
      `error invalid-endpoint ${I}.defaultEndpoint`,
    ],
    [
      'an endpoint without port',
      ingress({ defaultEndpoint: '127.0.0.1' }),
      `error invalid-endpoint ${I}.defaultEndpoint`,
    ],
    ['an IPv6 endpoint', ingress({ defaultEndpoint: '[::1]:8080' })],
    ['TLS on a plain port', ingress({ tls: { mode: 'SIMPLE', serverCertificate: 'a', privateKey: 'b' } }), `error conflicting-fields ${I}.tls`], // prettier-ignore
    ['HTTP limits of TCP', ingress({ port: { number: 1, protocol: 'TCP' }, connectionPool: { http: {} } }), `warning ineffective-field ${I}.connectionPool.http`], // prettier-ignore
    ['hosts of everyone', egress({ hosts: ['*/*'] })],
    ['a host without namespace', egress({ hosts: ['a.com'] }), `error invalid-host ${E}.hosts[0]`],
    ['hosts twice', egress({ hosts: ['./*', 'shop/a.com', '~bank/a.com'] }), `warning duplicate-host ${E}.hosts[1]`],
    ['more than everything', egress({ hosts: ['*/*', 'shop/*'] }), `warning duplicate-host ${E}.hosts`],
    ['a catch-all before others', egress({ hosts: ['*/*'] }, { hosts: ['./*'] }), `error listener-order ${E}`],
    ['a port twice', egress({ port: { number: 80 }, hosts: ['./*'] }, { port: { number: 80 }, hosts: ['./*'] }), 'error duplicate-port spec.egress[1].port'], // prettier-ignore
    ['no port and no socket', egress({ port: {}, hosts: ['./*'] }), `error invalid-address ${E}.bind`],
    ['a proxy that must be allowed', { outboundTrafficPolicy: { egressProxy: { host: 'a' } } }, 'error conflicting-fields spec.outboundTrafficPolicy.egressProxy'], // prettier-ignore
    ['a proxy without port', { outboundTrafficPolicy: { mode: 'ALLOW_ANY', egressProxy: { host: 'a' } } }, 'error required spec.outboundTrafficPolicy.egressProxy.port'], // prettier-ignore
    ['a wrong selector hides warnings', { workloadSelector: { labels: { a: '*' } }, ...egress({ hosts: ['*/*', 'a/*'] }) }, 'error invalid-selector spec.workloadSelector.labels.a'], // prettier-ignore
  ]);
});
