import { parseCertificate, uriNames } from '@kedge/security';
import { FakeApiServer } from '@kedge/testbed';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { exportJWK, SignJWT } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunningCa } from './testing/running-ca.ts';

const names = ['spiffe://mesh.example/ns/shop/sa/reviews'];
const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'istio-ca-'))));
afterEach(() => rm(folder, { recursive: true }));

const token = (claims: object = {}): Promise<string> =>
  new SignJWT({ sub: 'system:serviceaccount:shop:reviews', aud: 'istio-ca', iss: 'https://issuer.example', ...claims })
    .setExpirationTime('10m')
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .sign(signing.privateKey);

test('signs for tokens, is measured, and keeps its root when it is started again', async () => {
  const keys = [{ ...(await exportJWK(signing.publicKey)), kid: 'one', alg: 'ES256' }];
  const rule = { issuer: 'https://issuer.example', audiences: ['istio-ca'], jwks: JSON.stringify({ keys }) };
  const environment = { JWT_RULE: JSON.stringify(rule) };
  const flags = { caStorageDir: join(folder, 'store') };
  const roots = () => readFile(join(folder, 'store', 'current', 'root-cert.pem'), 'utf8');
  let last: string | undefined;
  {
    await using server = await RunningCa.start({ flags, environment });
    const ask = { names, roots: await roots() };
    const chain = await server.ask({ ...ask, token: await token() });
    last = chain.at(-1);
    expect(uriNames(parseCertificate(chain[0]!))).toEqual(names);
    await expect(server.ask({ ...ask, token: await token({ aud: 'vault' }) })).rejects.toMatchObject({
      code: 16,
      details: 'request authenticate failure: the token is for another audience',
    });
    const get = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    expect(await get(server.ports.http, '/ready')).toBe('');
    const metrics = await get(server.ports.monitoring, '/metrics');
    expect(metrics).toMatch(/^citadel_server_csr_count 2$/m);
    expect(metrics).toMatch(/^citadel_server_success_cert_issuance_count 1$/m);
    expect(metrics).toMatch(/^citadel_server_authentication_failure_count 1$/m);
    expect(metrics).toMatch(/^citadel_server_root_cert_expiry_seconds \d+/m);
    expect(server.lines.join('')).not.toContain('eyJ');
  }
  await using again = await RunningCa.start({ flags, environment });
  const chain = await again.ask({ names, roots: await roots(), token: await token() });
  expect(chain.at(-1)).toBe(last);
});

test('in a cluster the authority is a Secret, and tokens are reviewed', async () => {
  await using cluster = await FakeApiServer.start();
  const user = { username: 'system:serviceaccount:shop:reviews', groups: ['system:serviceaccounts'] };
  const reviewed = { authenticated: true, audiences: ['istio-ca'], user };
  cluster.answer = ({ path, body }) => {
    if (!path.endsWith('/tokenreviews')) return undefined;
    const { spec } = body as { readonly spec: { readonly token: string } };
    return { status: 201, body: { status: spec.token === 'good' ? reviewed : { authenticated: false } } };
  };
  await using server = await RunningCa.start({ flags: { kubeconfig: cluster.kubeconfig } });
  const secret = cluster.objects.get('/api/v1/namespaces/istio-system/secrets/istio-ca-secret') as {
    readonly data: Readonly<Record<string, string>>;
  };
  const roots = Buffer.from(secret.data['root-cert.pem']!, 'base64').toString();
  const [leaf] = await server.ask({ names, roots, token: 'good' });
  expect(uriNames(parseCertificate(leaf!))).toEqual(names);
  await expect(server.ask({ names, roots, token: 'bad' })).rejects.toMatchObject({
    code: 16,
    details: 'request authenticate failure: Kubernetes does not authenticate the token',
  });
});

test('does not start with an authority that does not fit together', async () => {
  const signingCertDir = join(folder, 'cacerts');
  await mkdir(signingCertDir);
  await writeFile(join(signingCertDir, 'ca-key.pem'), 'x');
  await expect(RunningCa.start({ flags: { signingCertDir } })).rejects.toThrow(
    /ca-cert.pem: no such file or directory/,
  );
});

test('does not sign in the place of another authority that was asked for', async () => {
  const environment = { EXTERNAL_CA: 'ISTIOD_RA_KUBERNETES_API' };
  await expect(RunningCa.start({ environment })).rejects.toThrow(
    'EXTERNAL_CA=ISTIOD_RA_KUBERNETES_API is not built yet',
  );
});
