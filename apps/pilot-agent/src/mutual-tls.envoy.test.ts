import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { CertificateAuthority } from '@kedge/security';
import { getText, Traffic, until } from '@kedge/testbed';
import { HOST, SecureMesh, selfSigned } from './testing/secure-mesh.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
if (!envoy) throw new Error('ENVOY_BIN is not set');
jest.setTimeout(60_000);

let authority: CertificateAuthority;
let mesh: SecureMesh;
beforeAll(async () => {
  authority = await selfSigned('before');
  mesh = await SecureMesh.start({ authority, envoy });
});
afterAll(() => mesh[Symbol.asyncDispose]());

/** Traffic on new and on kept connections while something happens, of which no request fails. */
async function underTraffic(happen: () => Promise<unknown>): Promise<void> {
  // Somewhat more than is wanted, but not so many that the kept connections take the new ones' time.
  await using kept = new Traffic(mesh.urls.kept, HOST, { perSecond: 300 });
  await using fresh = new Traffic(mesh.urls.fresh, HOST, { perSecond: 300 });
  await happen();
  // A control plane that starts takes time from all; what was missed is caught up on.
  await until('200 requests a second', () => kept.rate > 200 && fresh.rate > 200);
  for (const traffic of [kept, fresh]) traffic.assertNoFailure();
}

test('STRICT: requests pass with the identities of both, and plain text is refused', async () => {
  const seen = await getText(mesh.urls.kept, { headers: { host: HOST } });
  expect(seen).toContain('By=spiffe://cluster.local/ns/shop/sa/server');
  expect(seen).toContain('URI=spiffe://cluster.local/ns/shop/sa/client');
  await expect(getText(mesh.serverUrls.kept)).rejects.toThrow(/socket hang up|ECONNRESET/);
});

test('certificates of seconds are renewed, and nobody notices', async () => {
  const before = await mesh.serials('cert_chain');
  await underTraffic(() => Promise.all([mesh.renewed(4), sleep(13_000)]));
  const after = await mesh.serials('cert_chain');
  after.forEach((serial, index) => expect(serial).not.toBe(before[index]));
});

test('while control plane and authority are away traffic goes on, and the agents find them again', async () => {
  await underTraffic(async () => {
    await mesh.controlPlane[Symbol.asyncDispose]();
    await mesh.refusedRenewal();
    await mesh.startControlPlane();
    await mesh.renewed(1);
    await until('both to be connected again', async () => {
      const connected = JSON.stringify(await mesh.controlPlane.debug('connections'));
      return mesh.proxies.every(({ name }) => connected.includes(`${name}.shop`));
    });
  });
});

test('the root is replaced by another one, both being trusted in between', async () => {
  const next = await selfSigned('after');
  const both = authority.roots + next.roots;
  await underTraffic(async () => {
    for (const [signer, roots] of [
      [authority, both],
      [next, both],
      [next, next.roots],
    ] as const) {
      await mesh.plugIn(signer, roots);
      // The first may have been asked for before.
      await mesh.renewed(2);
    }
  });
  const serial = new X509Certificate(next.roots).serialNumber.toLowerCase();
  expect(await mesh.serials('ca_cert')).toEqual([serial, serial]);
});
