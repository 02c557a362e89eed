import { decode, encode } from '@kedge/envoy-api';
import { createLogging } from '@kedge/observability';
import { certificateServiceName, generateKey, makeCsr, parseCertificate, uriNames } from '@kedge/security';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { exportJWK, SignJWT } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CaServerFlags, runCaServer } from './ca-server.ts';

const free = { host: '127.0.0.1', port: 0 };
const identity = 'spiffe://mesh.example/ns/shop/sa/reviews';
const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'istio-ca-'))));
afterEach(() => rm(folder, { recursive: true }));

interface RunningCa extends AsyncDisposable {
  readonly ports: { readonly secureGrpc: number; readonly http: number; readonly monitoring: number };
  readonly lines: readonly string[];
}

async function start(flags: Partial<CaServerFlags> = {}): Promise<RunningCa> {
  const stop = new AbortController();
  const lines: string[] = [];
  const portsFile = join(folder, `ports-${Math.random()}`);
  const keys = [{ ...(await exportJWK(signing.publicKey)), kid: 'one', alg: 'ES256' }];
  const rule = { issuer: 'https://issuer.example', audiences: ['istio-ca'], jwks: JSON.stringify({ keys }) };
  const running = runCaServer({
    flags: {
      secureGRPCAddr: free,
      httpAddr: free,
      monitoringAddr: free,
      grpcHostIdentities: ['localhost'],
      trustDomain: 'mesh.example',
      trustDomainAliases: [],
      signingCertDir: join(folder, 'cacerts'),
      caStorageDir: join(folder, 'store'),
      selfSignedCaKey: 'P-256',
      shutdownDuration: 0,
      portsFile,
      ...flags,
    },
    environment: { JWT_RULE: JSON.stringify(rule) },
    logging: createLogging(undefined, { write: (line) => lines.push(line) }),
    stop: stop.signal,
  });
  // Where the server can't start, it ends, and says why.
  let isOver = false;
  const ended = running.finally(() => (isOver = true));
  const ports = await Promise.race([written(portsFile, () => isOver), ended]);
  return {
    ports: ports as RunningCa['ports'],
    lines,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}

async function written(path: string, isOver: () => boolean): Promise<unknown> {
  while (!isOver()) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return JSON.parse(text);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the server has ended');
}

const token = (claims: object = {}): Promise<string> =>
  new SignJWT({ sub: 'system:serviceaccount:shop:reviews', aud: 'istio-ca', iss: 'https://issuer.example', ...claims })
    .setExpirationTime('10m')
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .sign(signing.privateKey);

/** Asks for a certificate. Gives the answer's elements. */
async function ask({ ports }: RunningCa, bearer: string): Promise<readonly string[]> {
  const root = await readFile(join(folder, 'store', 'current', 'root-cert.pem'));
  const client = new Client(`localhost:${ports.secureGrpc}`, credentials.createSsl(root));
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${bearer}`);
  const csr = await makeCsr(await generateKey({ algorithm: 'P-256' }), { names: [identity] });
  const request = Buffer.from(encode('istio.v1.auth.IstioCertificateRequest', { csr }));
  const asIs = (bytes: Buffer): Buffer => bytes;
  try {
    const answer = await new Promise<Buffer>((resolve, reject) => {
      client.makeUnaryRequest(
        `/${certificateServiceName}/CreateCertificate`,
        asIs,
        asIs,
        request,
        metadata,
        (error, value) => (error ? reject(error) : resolve(value!)),
      );
    });
    return decode('istio.v1.auth.IstioCertificateResponse', answer).certChain ?? [];
  } finally {
    client.close();
  }
}

test('signs for tokens, is measured, and keeps its root when it is started again', async () => {
  let roots: string | undefined;
  {
    await using server = await start();
    const [leaf, last] = await ask(server, await token());
    roots = last;
    expect(uriNames(parseCertificate(leaf!))).toEqual([identity]);
    await expect(ask(server, await token({ aud: 'vault' }))).rejects.toMatchObject({
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
  await using again = await start();
  expect((await ask(again, await token())).at(-1)).toBe(roots);
});

test('does not start with an authority that does not fit together', async () => {
  const cacerts = join(folder, 'cacerts');
  await mkdir(cacerts);
  await writeFile(join(cacerts, 'ca-key.pem'), 'x');
  await expect(start()).rejects.toThrow(/ca-cert.pem: no such file or directory/);
});
