import { credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  FolderCaStore,
  generateKey,
  issueAuthority,
  MemoryCaStore,
  openSelfSigned,
  CertificateAuthority,
  privateKeyPem,
} from '@kedge/security';
import { exportJWK, SignJWT } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@kedge/testbed';
import { AdsClient } from '../testing/ads-client.ts';
import { RunningDiscovery } from '../testing/running-discovery.ts';

jest.setTimeout(60_000);

const CLUSTERS = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const issuer = 'https://issuer.example';
const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const node = (serviceAccount = 'web', namespace = 'shop') => ({
  id: `sidecar~10.0.0.9~web-1.${namespace}~${namespace}.svc.cluster.local`,
  metadata: { NAMESPACE: namespace, SERVICE_ACCOUNT: serviceAccount },
});

let storage: string;
let authority: CertificateAuthority;
let server: RunningDiscovery;
beforeAll(async () => {
  storage = await mkdtemp(join(tmpdir(), 'authority-'));
  const store = new FolderCaStore(storage);
  const key = { algorithm: 'P-256' } as const;
  const material = await openSelfSigned({ store, organization: 'cluster.local', ttl: 86_400_000, key });
  authority = new CertificateAuthority({ material });
  const keys = [{ ...(await exportJWK(signing.publicKey)), kid: 'one', alg: 'ES256' }];
  const rule = { issuer, audiences: ['istio-ca'], jwks: JSON.stringify({ keys }) };
  server = await RunningDiscovery.start({}, undefined, {
    flags: { secureGRPCAddr: { host: '127.0.0.1', port: 0 }, caStorageDir: storage },
    environment: { JWT_RULE: JSON.stringify(rule), ROOT_CA_DIR: join(storage, 'none') },
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(storage, { recursive: true });
});

const roots = (): Buffer => Buffer.from(authority.roots);

async function withCertificate(uri: string, by: CertificateAuthority = authority) {
  const { key, chain } = await by.issueKey([uri], 60_000);
  return credentials.createSsl(roots(), Buffer.from(key), Buffer.from(chain));
}

async function withToken(claims: object = {}) {
  const token = await new SignJWT({ iss: issuer, aud: 'istio-ca', sub: 'system:serviceaccount:shop:web', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setExpirationTime('5m')
    .sign(signing.privateKey);
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const call = credentials.createFromMetadataGenerator((_, done) => done(null, metadata));
  return credentials.combineChannelCredentials(credentials.createSsl(roots()), call);
}

async function subscribe(channel: ReturnType<typeof credentials.createSsl>, as = node()): Promise<number> {
  using client = new AdsClient(server.ports.secureGrpc, 'delta', as, channel);
  return (await client.subscribe(CLUSTERS)).length;
}

describe('xDS over TLS', () => {
  test.each([
    ['its certificate', () => withCertificate('spiffe://cluster.local/ns/shop/sa/web')],
    ['its token', () => withToken()],
  ])('is for a proxy known by %s', async (_, channel) => {
    expect(await subscribe(await channel())).toBeGreaterThan(0);
  });

  test.each([
    [
      'nothing',
      () => Promise.resolve(credentials.createSsl(roots())),
      16,
      'no client certificate is presented; no bearer token is presented',
    ],
    [
      'the certificate of another account',
      () => withCertificate('spiffe://cluster.local/ns/shop/sa/other'),
      7,
      'authorization failed: no identities (spiffe://cluster.local/ns/shop/sa/other) matched shop/web',
    ],
    [
      'the certificate of another namespace',
      () => withCertificate('spiffe://cluster.local/ns/bank/sa/web'),
      7,
      'matched shop/web',
    ],
    [
      'the certificate of another trust domain',
      () => withCertificate('spiffe://evil/ns/shop/sa/web'),
      16,
      'the client certificate is of another trust domain',
    ],
    ['a token for others', () => withToken({ aud: 'vault' }), 16, 'the token is for another audience'],
    ['a token of another account', () => withToken({ sub: 'system:serviceaccount:shop:other' }), 7, 'matched shop/web'],
  ])('is refused to who presents %s', async (_, channel, code, problem) => {
    await expect(subscribe(await channel())).rejects.toMatchObject({ code, details: expect.stringContaining(problem) });
  });

  test('is refused to who presents a certificate of a foreign authority', async () => {
    const key = await generateKey({ algorithm: 'P-256' });
    const now = Date.now();
    const certificate = await issueAuthority({
      key,
      subject: { organization: 'cluster.local' },
      notBefore: new Date(now - 1000),
      notAfter: new Date(now + 60_000),
    });
    const channel = credentials.createSsl(roots(), Buffer.from(privateKeyPem(key)), Buffer.from(certificate));
    await expect(subscribe(channel)).rejects.toMatchObject({ code: 14 });
  });

  test('is no matter in plain text', async () => {
    using client = new AdsClient(server.ports.grpc, 'delta', node('other'));
    expect((await client.subscribe(CLUSTERS)).length).toBeGreaterThan(0);
  });
});

test('in plain text too nobody is served unknown, where that is asked for', async () => {
  await using running = await RunningDiscovery.start({}, undefined, {
    flags: { secureGRPCAddr: { host: '127.0.0.1', port: 0 }, caStorageDir: storage },
    environment: { ROOT_CA_DIR: join(storage, 'none'), XDS_AUTH_PLAINTEXT: 'true' },
  });
  using client = new AdsClient(running.ports.grpc, 'delta', node());
  await expect(client.subscribe(CLUSTERS)).rejects.toMatchObject({ code: 16 });
});

describe('while the root changes', () => {
  const entry = (host: string): string =>
    [
      'apiVersion: networking.istio.io/v1',
      'kind: ServiceEntry',
      'metadata: { name: external, namespace: shop }',
      `spec: { hosts: [${host}], resolution: DNS, ports: [{ number: 80, name: http, protocol: HTTP }] }`,
    ].join('\n');

  test('open streams go on, and clients below either root are served, each time with a new certificate', async () => {
    const cacerts = await mkdtemp(join(tmpdir(), 'cacerts-'));
    const [before, after] = [await selfSigned('before'), await selfSigned('after')];
    const write = async (by: CertificateAuthority, roots: string): Promise<void> => {
      const { certificate, key } = by.material.texts;
      const files = { 'ca-key.pem': key, 'ca-cert.pem': certificate, 'cert-chain.pem': '', 'root-cert.pem': roots };
      for (const [name, text] of Object.entries(files)) await writeFile(join(cacerts, name), text);
    };
    await write(before, before.roots);
    await using running = await RunningDiscovery.start({}, undefined, {
      flags: { secureGRPCAddr: { host: '127.0.0.1', port: 0 } },
      environment: { ROOT_CA_DIR: cacerts },
    });
    const both = before.roots + after.roots;
    const connect = async (by: CertificateAuthority): Promise<AdsClient> => {
      const { key, chain } = await by.issueKey(['spiffe://cluster.local/ns/shop/sa/web'], 60_000);
      const channel = credentials.createSsl(Buffer.from(both), Buffer.from(key), Buffer.from(chain));
      return new AdsClient(running.ports.secureGrpc, 'delta', node(), channel);
    };
    const updated = (times: number) =>
      until(
        'the authority to be updated',
        () => running.lines.join('').split('updated certificate authority').length > times,
      );

    using old = await connect(before);
    await old.subscribe(CLUSTERS);
    await write(before, both);
    await updated(1);
    await write(after, both);
    await updated(2);
    for (const by of [before, after]) {
      using client = await connect(by);
      expect((await client.subscribe(CLUSTERS)).length).toBeGreaterThan(0);
    }
    await running.write('entry.yaml', entry('a.example'));
    expect((await old.next()).map(({ name }) => name)).toContain('outbound|80||a.example');
    await rm(cacerts, { recursive: true });
  });
});

test("with a certificate of others in files, its own clients and those of the files' roots are served, and changes are followed", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tls-'));
  const issuers = [await selfSigned('one'), await selfSigned('two')] as const;
  const write = async (by: CertificateAuthority): Promise<void> => {
    const { key, chain } = await by.issueKey(['localhost', '127.0.0.1'], 60_000);
    const files = { 'tls.crt': chain, 'tls.key': key, 'ca.crt': by.roots };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  };
  await write(issuers[0]);
  await using running = await RunningDiscovery.start({}, undefined, {
    flags: {
      secureGRPCAddr: { host: '127.0.0.1', port: 0 },
      caStorageDir: storage,
      tlsCertFile: join(folder, 'tls.crt'),
      tlsKeyFile: join(folder, 'tls.key'),
      caCertFile: join(folder, 'ca.crt'),
    },
    environment: { ROOT_CA_DIR: join(storage, 'none') },
  });
  const served = async (server: CertificateAuthority, client: CertificateAuthority): Promise<number> => {
    const { key, chain } = await client.issueKey(['spiffe://cluster.local/ns/shop/sa/web'], 60_000);
    const channel = credentials.createSsl(Buffer.from(server.roots), Buffer.from(key), Buffer.from(chain));
    using ads = new AdsClient(running.ports.secureGrpc, 'delta', node(), channel);
    return (await ads.subscribe(CLUSTERS)).length;
  };
  for (const client of [issuers[0], authority]) expect(await served(issuers[0], client)).toBeGreaterThan(0);
  await expect(served(issuers[0], issuers[1])).rejects.toMatchObject({ code: 14 });
  await write(issuers[1]);
  await until('the new certificate', async () => (await served(issuers[1], issuers[1]).catch(() => 0)) > 0);
  await writeFile(join(folder, 'tls.key'), 'garbage');
  await until('the problem', () =>
    running.lines.join('').includes('certificate is not renewed: invalid PEM-encoded key'),
  );
  expect(await served(issuers[1], authority)).toBeGreaterThan(0);
  await rm(folder, { recursive: true });
});

async function selfSigned(organization: string): Promise<CertificateAuthority> {
  const key = { algorithm: 'P-256' } as const;
  const material = await openSelfSigned({ store: new MemoryCaStore(), organization, ttl: 86_400_000, key });
  return new CertificateAuthority({ material });
}
