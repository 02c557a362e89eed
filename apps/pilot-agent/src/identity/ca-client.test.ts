import { createPrivateKey, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { encode } from '@kedge/envoy-api';
import { GrpcServer } from '@kedge/grpc-server';
import { certificateServiceName } from '@kedge/security';
import { MeshAuthority } from '../testing/mesh-authority.ts';
import { type CaClientOptions, requestCertificate } from './ca-client.ts';
import type { WorkloadCertificate } from './workload-certificate.ts';

const identity = 'spiffe://cluster.local/ns/shop/sa/web';

let mesh: MeshAuthority;
beforeAll(async () => void (mesh = await MeshAuthority.start()));
afterAll(() => mesh[Symbol.asyncDispose]());

const request = (options: Partial<CaClientOptions> = {}) =>
  requestCertificate({
    target: mesh.target,
    credentials: async () => ({ roots: mesh.authority.roots, token: mesh.issuer.token('shop', 'web') }),
    key: { algorithm: 'P-256' },
    pkcs8: false,
    identity,
    ttl: 60_000,
    ...options,
  });

test('a certificate for the key, with the identity, the life that was asked for, and the roots', async () => {
  const { key, chain, roots, issuedAt, expiresAt } = await request();
  const leaf = new X509Certificate(chain);
  expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(leaf.subjectAltName).toBe(`URI:${identity}`);
  expect(leaf.verify(new X509Certificate(roots).publicKey)).toBe(true);
  expect(expiresAt - issuedAt).toBeLessThanOrEqual(60_000);
  expect(expiresAt - issuedAt).toBeGreaterThan(55_000);
});

test.each([
  [{ key: { algorithm: 'P-256' } } as const, 'BEGIN EC PRIVATE KEY'],
  [{ key: { algorithm: 'RSA', rsaBits: 2048 } } as const, 'BEGIN RSA PRIVATE KEY'],
  [{ pkcs8: true }, 'BEGIN PRIVATE KEY'],
])('%j gives a key in %s', async (options, label) => {
  expect((await request(options)).key).toContain(label);
});

test.each([
  ['no token', () => ({ roots: mesh.authority.roots }), 'UNAUTHENTICATED'],
  ['a token that is none', () => ({ roots: mesh.authority.roots, token: 'x' }), 'UNAUTHENTICATED'],
  [
    "another's token",
    () => ({ roots: mesh.authority.roots, token: mesh.issuer.token('shop', 'other') }),
    'PERMISSION_DENIED',
  ],
  ['the roots of others', () => ({ token: mesh.issuer.token('shop', 'web') }), 'UNAVAILABLE'],
])('with %s there is none', async (_, credentials, status) => {
  await expect(request({ credentials: async () => credentials() })).rejects.toThrow(status);
});

test.each([
  ['no certificates', () => [], '0 certificates'],
  ['garbage', () => ['garbage', 'garbage'], 'invalid PEM encoded certificate'],
  ['roots that are none', ({ chain }: WorkloadCertificate) => [chain, 'garbage'], 'invalid PEM encoded certificate'],
  ['a certificate for another key', ({ chain, roots }: WorkloadCertificate) => [chain, roots], 'certified another key'],
])('an authority that answers with %s gives none', async (_, certChain, problem) => {
  const parts = await request();
  const handle = async () => encode('istio.v1.auth.IstioCertificateResponse', { certChain: [...certChain(parts)] });
  const server = new GrpcServer().addService(certificateServiceName, { CreateCertificate: { kind: 'unary', handle } });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const target = { address: `127.0.0.1:${port}`, serverName: '', clusterId: '', plainText: true };
  await expect(request({ target }).finally(() => server.shutdown())).rejects.toThrow(problem);
});

test('a certificate that has expired by the clock of this host is none', async () => {
  await expect(request({ now: () => Date.now() + 61_000 })).rejects.toThrow('by the clock of this host');
});
