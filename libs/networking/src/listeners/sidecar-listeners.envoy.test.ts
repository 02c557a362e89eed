import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { listenersOf } from '../testing/listeners.ts';
import { meshOf, proxyOf } from '../testing/mesh.ts';
import { manifests, meshPieces } from '../testing/random-mesh.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
if (!envoy) throw new Error('ENVOY_BIN is not set');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'listeners-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

// Any list of extensions keeps Istio's own out.
const proxies = ['REDIRECT', 'NONE'].map((mode) =>
  proxyOf('a', {
    metadata: { LABELS: { app: 'a' }, INTERCEPTION_MODE: mode },
    extensions: ['envoy.filters.network.tcp_proxy'],
  }),
);

/** The clusters that listeners must find in a static configuration: those that configuration comes from. */
const sources = ['xds', 'sds-grpc'].map((name) => ({ name, type: 'STATIC', loadAssignment: { clusterName: name } }));

/** What Envoy has against listeners; empty where it takes them all. */
function refusal(listeners: readonly object[]): string {
  const bootstrap = {
    dynamicResources: {
      adsConfig: { apiType: 'GRPC', transportApiVersion: 'V3', grpcServices: [{ envoyGrpc: { clusterName: 'xds' } }] },
    },
    staticResources: { clusters: sources, listeners },
    node: { id: 'test', cluster: 'test' },
  };
  const path = join(folder, 'bootstrap.json');
  writeFileSync(path, JSON.stringify(bootstrap));
  const { status, stderr } = spawnSync(envoy, ['--mode', 'validate', '-c', path, '-l', 'error'], { encoding: 'utf8' });
  return status === 0 ? '' : stderr || `exit ${status}`;
}

test('Envoy takes the listeners of random meshes', () => {
  fc.assert(
    fc.property(meshPieces, (pieces) => {
      const push = meshOf(manifests(pieces));
      for (const proxy of proxies) {
        const listeners = Object.values(listenersOf(push, proxy)).map(({ '@type': _, ...listener }) => listener);
        expect(refusal(listeners)).toBe('');
      }
    }),
    { numRuns: 25 },
  );
});
