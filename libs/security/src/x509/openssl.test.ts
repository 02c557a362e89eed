import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateAuthority } from '../ca/certificate-authority.ts';
import { readCaMaterial } from '../ca/ca-material.ts';
import { type AuthorityPair, authorityPair, intermediateTexts, rootTexts } from '../testing/authorities.ts';
import type { KeyAlgorithm } from './algorithms.ts';
import { makeCsr, parseCsr } from './csr.ts';
import { generateKey, privateKeyPem } from './keys.ts';

const identity = 'spiffe://cluster.local/ns/default/sa/reviews';
const algorithms: readonly KeyAlgorithm[] = ['P-256', 'P-384', 'RSA'];

const isInstalled = spawnSync('openssl', ['version']).status === 0;
if (!isInstalled) process.stderr.write('skipped: there is no openssl to verify certificates with\n');
const withOpenssl = isInstalled ? describe : describe.skip;

/** Runs openssl on files of these contents. Gives what it prints. */
function openssl(files: Readonly<Record<string, string>>, ...args: readonly string[]): string {
  const cwd = mkdtempSync(join(tmpdir(), 'certificates-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const { stdout, stderr } = spawnSync('openssl', args, { cwd, encoding: 'utf8' });
    return stdout + stderr;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const describeCertificate = (pem: string): string =>
  openssl({ 'c.pem': pem }, 'x509', '-in', 'c.pem', '-noout', '-text');

async function signed(authority: CertificateAuthority, algorithm: KeyAlgorithm = 'P-256'): Promise<string> {
  const csr = await makeCsr(await generateKey({ algorithm }), { names: [identity] });
  return authority.sign(csr, { names: [identity], mayAskFor: () => true, ttl: 3_600_000 });
}

/** An authority whose own chain nobody has verified. */
const materialOf = (pair: AuthorityPair) => readCaMaterial(rootTexts(pair));

withOpenssl('openssl, of what we issue', () => {
  test.each(algorithms.flatMap((ca) => algorithms.map((workload) => [ca, workload] as const)))(
    'verifies a chain of two authorities: %s, workload %s',
    async (algorithm, workload) => {
      const root = await authorityPair({ name: 'root', algorithm });
      const intermediate = await authorityPair({ name: 'intermediate', algorithm, issuer: root, pathLength: 0 });
      const authority = new CertificateAuthority({ material: readCaMaterial(intermediateTexts(intermediate, root)) });
      const files = {
        'root.pem': root.certificate,
        'intermediate.pem': intermediate.certificate,
        'leaf.pem': await signed(authority, workload),
      };
      const verify = ['verify', '-x509_strict', '-CAfile', 'root.pem', '-untrusted', 'intermediate.pem'];
      for (const purpose of ['sslclient', 'sslserver']) {
        expect(openssl(files, ...verify, '-purpose', purpose, 'leaf.pem')).toBe('leaf.pem: OK\n');
      }
    },
  );

  test('sees critical names, usages and no right to sign', async () => {
    const authority = new CertificateAuthority({
      material: readCaMaterial(rootTexts(await authorityPair({ name: 'root' }))),
    });
    const text = describeCertificate(await signed(authority));
    expect(text).toMatch(`X509v3 Subject Alternative Name: critical\n                URI:${identity}\n`);
    expect(text).toMatch('X509v3 Key Usage: critical\n                Digital Signature, Key Encipherment\n');
    expect(text).toMatch('TLS Web Server Authentication, TLS Web Client Authentication');
    expect(text).toMatch('X509v3 Basic Constraints: critical\n                CA:FALSE\n');
    expect(text).toMatch('Version: 3 (0x2)');
  });

  test('sees what an authority may do', async () => {
    const root = await authorityPair({ name: 'root' });
    const below = await authorityPair({ name: 'below', issuer: root, pathLength: 0 });
    expect(describeCertificate(root.certificate)).toMatch('critical\n                CA:TRUE\n');
    expect(describeCertificate(below.certificate)).toMatch('critical\n                CA:TRUE, pathlen:0\n');
    expect(describeCertificate(below.certificate)).toMatch('critical\n                Certificate Sign, CRL Sign\n');
  });

  test('holds to the length of a path, as we do', async () => {
    const root = await authorityPair({ name: 'root' });
    const first = await authorityPair({ name: 'first', issuer: root, pathLength: 0 });
    const second = await authorityPair({ name: 'second', issuer: first });
    const texts = { ...intermediateTexts(second, root), chain: second.certificate + first.certificate };
    expect(() => readCaMaterial(texts)).toThrow('too many intermediates for path length constraint');
    const files = { 'root.pem': root.certificate, 'first.pem': first.certificate, 'second.pem': second.certificate };
    const said = openssl(files, 'verify', '-CAfile', 'root.pem', '-untrusted', 'first.pem', 'second.pem');
    // An authority as the last certificate is all right; what it signs is not.
    expect(said).toBe('second.pem: OK\n');
    const leaf = await signed(new CertificateAuthority({ material: materialOf(second) }));
    const all = { ...files, 'chain.pem': second.certificate + first.certificate, 'leaf.pem': leaf };
    expect(openssl(all, 'verify', '-CAfile', 'root.pem', '-untrusted', 'chain.pem', 'leaf.pem')).toMatch(
      'path length constraint exceeded',
    );
  });

  test.each(algorithms)('takes our requests, and we its: %s', async (algorithm) => {
    const key = await generateKey({ algorithm });
    const csr = await makeCsr(key, { names: [identity, 'a.example.com', '10.0.0.1', 'fd00::1'] });
    expect(openssl({ 'r.pem': csr }, 'req', '-in', 'r.pem', '-verify', '-noout')).toMatch('verify OK');
    const args = [
      'req',
      '-new',
      '-key',
      'k.pem',
      '-subj',
      '/O=x',
      '-addext',
      `subjectAltName=URI:${identity},IP:fd00::1`,
    ];
    const parsed = parseCsr(openssl({ 'k.pem': privateKeyPem(key) }, ...args));
    expect(parsed.isSigned).toBe(true);
    expect(parsed.altNames).toEqual([
      { kind: 'uri', value: identity },
      { kind: 'ip', value: 'fd00::1' },
    ]);
  });
});
