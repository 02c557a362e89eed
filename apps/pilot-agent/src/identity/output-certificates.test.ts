import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { MeshAuthority } from '../testing/mesh-authority.ts';
import { requestCertificate } from './ca-client.ts';
import { type CallerCredentials, filesIn, readCredentials } from './credential-files.ts';
import { writeCertificate } from './output-certificates.ts';

test('a machine is known by the certificate that it kept, without a token', async () => {
  await using mesh = await MeshAuthority.start();
  const dir = await mkdtemp(join(tmpdir(), 'output-'));
  const folder = join(dir, 'certificates');
  const request = (credentials: () => Promise<CallerCredentials>) =>
    requestCertificate({
      target: mesh.target,
      credentials,
      key: { algorithm: 'P-256' },
      pkcs8: false,
      identity: 'spiffe://cluster.local/ns/shop/sa/vm',
      ttl: 60_000,
    });
  const first = await request(async () => ({ roots: mesh.authority.roots, token: mesh.issuer.token('shop', 'vm') }));
  await writeCertificate(folder, first);
  expect((await readdir(folder)).sort()).toEqual(['cert-chain.pem', 'key.pem', 'root-cert.pem']);
  expect((await stat(join(folder, 'key.pem'))).mode & 0o777).toBe(0o600);

  const files = filesIn(folder);
  const { token, ...kept } = await readCredentials(files.roots, files);
  expect(token).toBeUndefined();
  expect(kept).toEqual({ roots: first.roots, certificate: { key: first.key, chain: first.chain } });
  const second = await request(async () => kept);
  await writeCertificate(folder, second);
  expect((await readCredentials(files.roots, files)).certificate?.chain).toBe(second.chain);
  await rm(dir, { recursive: true });
});

test('roots that are not there are an error', async () => {
  await expect(readCredentials('/nowhere/root-cert.pem', undefined)).rejects.toThrow('/nowhere/root-cert.pem');
});
