import { describe, expect, test } from '@jest/globals';
import { formatDiagnostic } from '../diagnostic.ts';
import { isKind } from '../kinds/config.ts';
import { parseConfig } from './parse-config.ts';
import { parseConfigFile } from './yaml-documents.ts';

const route = {
  apiVersion: 'networking.istio.io/v1',
  kind: 'VirtualService',
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
  spec: { hosts: ['web'], http: [{ route: [{ destination: { host: 'web' } }], timeout: '2s' }] },
};

function parseText(text: string) {
  const [parsed] = parseConfigFile(text, 'a.yaml');
  return { config: parsed?.config, texts: parsed?.diagnostics.map(formatDiagnostic) };
}

describe('parseConfig', () => {
  test('gives a typed object', () => {
    const { config, diagnostics } = parseConfig(route);
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({
      kind: 'VirtualService',
      group: 'networking.istio.io',
      version: 'v1',
      namespace: 'shop',
      name: 'web',
      labels: { app: 'web' },
      annotations: {},
      creationTimestamp: Date.UTC(2024, 0, 1),
    });
    if (!config || !isKind(config, 'VirtualService')) throw new Error('not a VirtualService');
    expect(config.spec.http[0]?.timeout).toBe(2000);
  });

  test('reads the metadata that orders and names versions of an object', () => {
    const metadata = {
      name: 'a',
      creationTimestamp: '2025-06-01T00:00:00Z',
      resourceVersion: '7',
      generation: 3,
      uid: 'u',
      managedFields: [{ manager: 'kubectl' }],
    };
    const { config } = parseConfig({ ...route, metadata, status: { conditions: [] } });
    expect(config).toMatchObject({
      creationTimestamp: Date.UTC(2025, 5, 1),
      resourceVersion: '7',
      generation: 3,
      uid: 'u',
      status: { conditions: [] },
    });
  });

  test('an object may have no metadata and no spec', () => {
    const { config } = parseConfig({ apiVersion: 'security.istio.io/v1', kind: 'PeerAuthentication' });
    expect(config).toMatchObject({ name: '', namespace: 'default', spec: {} });
  });

  test('errors name object, field, file and line, and there is no object', () => {
    const { config, texts } = parseText(`
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: { name: web, namespace: shop }
spec:
  hosts: [web]
  http:
    - match:
        - uri:
            exact: /a
            prefix: /b
      timeout: soon
      retries: { attempts: many }
`);
    expect(config).toBeUndefined();
    expect(texts).toEqual([
      'error VirtualService shop/web spec.http[0].match[0].uri.prefix: at most one of exact, prefix, regex may be set, not both exact and prefix (a.yaml:11)',
      'error VirtualService shop/web spec.http[0].timeout: "soon" is not a duration such as "1.5s" (a.yaml:12)',
      'error VirtualService shop/web spec.http[0].retries.attempts: must be a number, not "many" (a.yaml:13)',
    ]);
  });

  test('unknown fields are warnings: the API server prunes them and the object works', () => {
    const { config, texts } = parseText(`
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: edge }
extra: 1
spec:
  severs: []
  servers:
    - hosts: ["*"]
      port: { number: 80, name: http, protokol: HTTP }
`);
    expect(config).toBeDefined();
    expect(texts).toEqual([
      'warning Gateway edge extra: unknown field "extra" (a.yaml:5)',
      'warning Gateway edge spec.severs: unknown field "severs"; did you mean "servers"? (a.yaml:7)',
      'warning Gateway edge spec.servers[0].port.protokol: unknown field "protokol"; did you mean "protocol"? (a.yaml:10)',
    ]);
  });

  test.each([
    [{ apiVersion: 'networking.istio.io/v1', kind: 'VirtualServce' }, 'did you mean VirtualService?'],
    [{ apiVersion: 'networking.istio.io/v2', kind: 'Gateway' }, 'but in v1, v1alpha3, v1beta1'],
    [{ apiVersion: 'example.com/v1', kind: 'Gateway' }, 'unknown kind Gateway of example.com/v1'],
    [{ apiVersion: 'v1' }, 'no kind'],
    [{ kind: 'Gateway' }, 'no apiVersion'],
  ])('%j: %s', (object, message) => {
    const { config, diagnostics } = parseConfig(object);
    expect(config).toBeUndefined();
    expect(diagnostics).toMatchObject([{ severity: 'error', code: 'unknown-kind' }]);
    expect(diagnostics[0]?.message).toContain(message);
  });

  test.each([null, 'text', 5, []])('%j is no object', (value) => {
    expect(parseConfig(value).diagnostics).toMatchObject([{ severity: 'error', code: 'wrong-type', kind: '' }]);
  });

  test('metadata of a wrong type is an error', () => {
    const metadata = { name: 'a', labels: { version: 1 }, creationTimestamp: 'yesterday' };
    expect(parseConfig({ ...route, metadata }).diagnostics.map((d) => d.field)).toEqual([
      'metadata.labels.version',
      'metadata.creationTimestamp',
    ]);
  });
});
