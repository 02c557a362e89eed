import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getText, until } from '@kedge/testbed';
import { HOST, SecureMesh, selfSigned } from './testing/secure-mesh.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
if (!envoy) throw new Error('ENVOY_BIN is not set');
jest.setTimeout(60_000);

let keyServer: KeyServer;
let mesh: SecureMesh;
beforeAll(async () => {
  keyServer = await KeyServer.start();
  mesh = await SecureMesh.start({
    authority: await selfSigned('root'),
    envoy,
    environment: { PILOT_JWT_PUB_KEY_REFRESH_INTERVAL: '500ms' },
  });
});
afterAll(async () => {
  await mesh[Symbol.asyncDispose]();
  keyServer[Symbol.dispose]();
});

/** What comes of a request: the client that the server saw, "nobody", a status, or that nothing answers. */
async function outcome(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  try {
    const seen = await getText(url, { headers: { host: HOST, ...headers } });
    return /URI=([^;]*)/.exec(seen)?.[1] ?? 'nobody';
  } catch (error) {
    return / answers (\d+)/.exec(String(error))?.[1] ?? 'no answer';
  }
}

/** Waits until it is as expected, since policies take effect a moment after they are applied. */
async function expectSoon<T>(outcomes: () => Promise<T>, expected: T): Promise<void> {
  let last: T | undefined;
  const asExpected = async (): Promise<boolean> => {
    last = await outcomes();
    return JSON.stringify(last) === JSON.stringify(expected);
  };
  await until('it', asExpected, { timeoutMs: 10_000 }).catch(() => undefined);
  expect(last).toEqual(expected);
}

const manifest = (kind: string, name: string, spec: object): string =>
  JSON.stringify({
    apiVersion: 'security.istio.io/v1',
    kind,
    metadata: { name, namespace: name === 'mesh' ? 'istio-system' : 'shop' },
    spec,
  });
const apply = (...manifests: readonly string[]): Promise<void> => mesh.apply(manifests.join('\n---\n'));

const client = 'spiffe://cluster.local/ns/shop/sa/client';
const selector = { matchLabels: { app: 'server' } };

describe('PeerAuthentication', () => {
  const mode = (name: string, mtls: string, portLevelMtls?: object): string =>
    manifest('PeerAuthentication', name, {
      ...(name === 'server' ? { selector, portLevelMtls } : {}),
      mtls: { mode: mtls },
    });
  const port = (name: 'kept' | 'fresh', mtls: string): object => ({ [mesh.ports[name]]: { mode: mtls } });

  test.each<readonly [string, () => readonly string[], object]>([
    [
      'STRICT: nothing but mutual TLS',
      () => [mode('mesh', 'STRICT')],
      { meshed: [client, client], plain: ['no answer', 'no answer'] },
    ],
    [
      'PERMISSIVE: mutual TLS and plain text',
      () => [mode('mesh', 'PERMISSIVE')],
      { meshed: [client, client], plain: ['nobody', 'nobody'] },
    ],
    [
      'DISABLE for a namespace: plain text',
      () => [mode('mesh', 'STRICT'), mode('default', 'DISABLE')],
      { meshed: ['nobody', 'nobody'], plain: ['nobody', 'nobody'] },
    ],
    [
      'STRICT for a workload below DISABLE for the mesh',
      () => [mode('mesh', 'DISABLE'), mode('server', 'STRICT')],
      { meshed: [client, client], plain: ['no answer', 'no answer'] },
    ],
    [
      'a port DISABLE below STRICT',
      () => [mode('server', 'STRICT', port('fresh', 'DISABLE'))],
      { meshed: [client, 'nobody'], plain: ['no answer', 'nobody'] },
    ],
    [
      'a port STRICT below DISABLE, another PERMISSIVE',
      () => [mode('server', 'DISABLE', { ...port('kept', 'STRICT'), ...port('fresh', 'PERMISSIVE') })],
      { meshed: [client, client], plain: ['no answer', 'nobody'] },
    ],
  ])('%s', async (_, policies, expected) => {
    await apply(...policies());
    await expectSoon(
      async () => ({
        meshed: [await outcome(mesh.urls.kept), await outcome(mesh.urls.fresh)],
        plain: [await outcome(mesh.serverUrls.kept), await outcome(mesh.serverUrls.fresh)],
      }),
      expected,
    );
  });
});

describe('AuthorizationPolicy by principal', () => {
  const policy = (action: string, source: object): string =>
    manifest('AuthorizationPolicy', action.toLowerCase(), { selector, action, rules: [{ from: [{ source }] }] });
  const [allowed, denied] = [client, '403'];

  test.each<readonly [string, readonly string[], readonly string[]]>([
    ['allows the client', [policy('ALLOW', { principals: ['cluster.local/ns/shop/sa/client'] })], [allowed, denied]],
    ['allows another', [policy('ALLOW', { principals: ['cluster.local/ns/shop/sa/other'] })], [denied, denied]],
    ['allows a pattern', [policy('ALLOW', { principals: ['*/sa/client'] })], [allowed, denied]],
    ['allows everybody but others', [policy('ALLOW', { notPrincipals: ['*/sa/other'] })], [allowed, 'nobody']],
    ['allows its namespace', [policy('ALLOW', { namespaces: ['shop'] })], [allowed, denied]],
    ['denies the client', [policy('DENY', { principals: ['cluster.local/ns/shop/sa/client'] })], [denied, 'nobody']],
    ['denies another', [policy('DENY', { principals: ['cluster.local/ns/shop/sa/other'] })], [allowed, 'nobody']],
    [
      'denies whom it allows',
      [policy('ALLOW', { principals: ['*'] }), policy('DENY', { principals: ['*/sa/client'] })],
      [denied, denied],
    ],
    ['has none', [], [allowed, 'nobody']],
  ])('%s', async (_, policies, expected) => {
    await apply(manifest('PeerAuthentication', 'mesh', { mtls: { mode: 'PERMISSIVE' } }), ...policies);
    for (const port of ['kept', 'fresh'] as const) {
      await expectSoon(
        async (): Promise<readonly string[]> => [await outcome(mesh.urls[port]), await outcome(mesh.serverUrls[port])],
        expected,
      );
    }
  });
});

describe('RequestAuthentication', () => {
  const issuer = 'https://issuer.example';
  const withToken = (token: string): Promise<string> => outcome(mesh.urls.kept, { authorization: `Bearer ${token}` });

  test('tokens are verified by the keys of their server, and by others as they rotate', async () => {
    const [one, two] = [new SigningKey('one'), new SigningKey('two')];
    keyServer.keys = [one];
    const strict = manifest('PeerAuthentication', 'mesh', { mtls: { mode: 'STRICT' } });
    const jwt = manifest('RequestAuthentication', 'jwt', { selector, jwtRules: [{ issuer, jwksUri: keyServer.url }] });
    const known = { from: [{ source: { requestPrincipals: [`${issuer}/user`] } }] };
    await apply(strict, jwt, manifest('AuthorizationPolicy', 'users', { selector, rules: [known] }));

    const claims = { iss: issuer, sub: 'user', exp: Date.now() / 1000 + 3600 };
    await expectSoon(async () => [await withToken(one.token(claims)), await outcome(mesh.urls.kept)], [client, '403']);
    const [head, , signature] = one.token(claims).split('.');
    const [, others] = one.token({ ...claims, sub: 'admin' }).split('.');
    expect([
      await withToken(one.token({ ...claims, sub: 'stranger' })),
      await withToken(one.token({ ...claims, exp: 1 })),
      await withToken(one.token({ ...claims, iss: 'https://other.example' })),
      await withToken([head, others, signature].join('.')),
      await withToken(two.token(claims)),
      await withToken('x'),
    ]).toEqual(['403', '401', '401', '401', '401', '401']);

    keyServer.keys = [one, two];
    await expectSoon(() => withToken(two.token(claims)), client);
    expect(await withToken(one.token(claims))).toBe(client);
    keyServer.keys = [two];
    await expectSoon(() => withToken(one.token(claims)), '401');
    expect(await withToken(two.token(claims))).toBe(client);

    // While the server is away its last keys count.
    keyServer.keys = undefined;
    await until('fetches to fail', () => keyServer.failures >= 2);
    expect(await withToken(two.token(claims))).toBe(client);
    await apply(strict);
    await expectSoon(() => withToken('x'), client);
  });
});

/** A key that tokens are signed with. */
class SigningKey {
  readonly jwk: object;
  readonly #key: KeyObject;
  readonly #id: string;

  constructor(id: string) {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.jwk = { ...publicKey.export({ format: 'jwk' }), kid: id, alg: 'RS256' };
    this.#key = privateKey;
    this.#id = id;
  }

  token(claims: object): string {
    const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${encoded({ alg: 'RS256', kid: this.#id })}.${encoded(claims)}`;
    return `${text}.${sign('sha256', Buffer.from(text), this.#key).toString('base64url')}`;
  }
}

/** Serves public keys on loopback; fails where there are none. */
class KeyServer implements Disposable {
  keys: readonly SigningKey[] | undefined;
  failures = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((_, response) => {
      if (this.keys) response.end(JSON.stringify({ keys: this.keys.map(({ jwk }) => jwk) }));
      else response.writeHead(503).end(String(++this.failures));
    });
  }

  static async start(): Promise<KeyServer> {
    const started = new KeyServer();
    await new Promise<void>((resolve) => started.#server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/keys`;
  }

  [Symbol.dispose](): void {
    this.#server.close().closeAllConnections();
  }
}
