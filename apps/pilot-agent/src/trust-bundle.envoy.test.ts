import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import type { CertificateAuthority } from '@kedge/security';
import { getText, until } from '@kedge/testbed';
import { HOST, SecureMesh, selfSigned } from './testing/secure-mesh.ts';

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

test('a certificate that its authority revokes is refused', async () => {
  const authority = await selfSigned('root');
  await using mesh = await SecureMesh.start({ authority, envoy, ttl: '1h' });
  const outcome = () =>
    getText(mesh.urls.fresh, { headers: { host: HOST } }).then(
      () => 'answered',
      (error: unknown) => String(error),
    );
  const [client = ''] = await mesh.serials('cert_chain');
  await mesh.revoke(revocationList(authority, ['0a']));
  await until('the list', async () => (await mesh.lists()).every((count) => count === 1));
  expect(await outcome()).toBe('answered');
  await mesh.revoke(revocationList(authority, [client]));
  await until('the refusal', async () => (await outcome()).includes('503: upstream connect error'));
  await mesh.revoke(revocationList(authority, ['0a']));
  await until('the answer', async () => (await outcome()) === 'answered');
});

/** A list of revoked certificates, made by OpenSSL. */
function revocationList(authority: CertificateAuthority, serials: readonly string[]): string {
  const dir = mkdtempSync(join(tmpdir(), 'revocations-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  try {
    const { certificate, key } = authority.material.texts;
    const entries = serials.map(
      (serial) => `R\t491231000000Z\t260101000000Z\t${serial.toUpperCase()}\tunknown\t/CN=x\n`,
    );
    const database = file('index.txt', entries.join(''));
    const config = file(
      'ca.cnf',
      `[ca]\ndefault_ca=a\n[a]\ndatabase=${database}\ndefault_md=sha256\ndefault_crl_days=30\n`,
    );
    const signer = ['-cert', file('ca.pem', certificate), '-keyfile', file('key.pem', key)];
    const out = join(dir, 'crl.pem');
    execFileSync('openssl', ['ca', '-gencrl', '-config', config, ...signer, '-out', out], { stdio: 'pipe' });
    return readFileSync(out, 'utf8');
  } finally {
    rmSync(dir, { recursive: true });
  }
}
