import { X509Certificate } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import { until } from '@kedge/testbed';
import { SecureMesh, selfSigned } from './testing/secure-mesh.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
if (!envoy) throw new Error('ENVOY_BIN is not set');
jest.setTimeout(60_000);

const serialOf = (root: string): string => new X509Certificate(root).serialNumber.toLowerCase();

test('a new root is trusted by proxies whose certificates live on', async () => {
  const authority = await selfSigned('before');
  const next = await selfSigned('after');
  await using mesh = await SecureMesh.start({ authority, envoy, ttl: '1h' });
  const certificates = await mesh.serials('cert_chain');
  await mesh.plugIn(authority, authority.roots + next.roots);
  const both = [serialOf(authority.roots), serialOf(next.roots)].sort().join();
  await until('both roots', async () => (await mesh.serials('ca_cert')).every((roots) => roots === both));
  expect(await mesh.serials('cert_chain')).toEqual(certificates);
});
