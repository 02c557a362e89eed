import { decode, encode } from '@kedge/envoy-api';
import { type CallContext, GrpcError, GrpcServer, Status, statusName, type UnaryMethod } from '@kedge/grpc-server';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { generateKeyPairSync } from 'node:crypto';
import type { Authentication, Authenticator, Caller } from '../authn/authenticator.ts';
import { ClientCertificateAuthenticator } from '../authn/client-certificate.ts';
import { CertificateAuthority } from '../ca/certificate-authority.ts';
import { readCaMaterial } from '../ca/ca-material.ts';
import { authorityPair, intermediateTexts, testAuthority } from '../testing/authorities.ts';
import { type GrpcFailure, unaryCall } from '../testing/grpc-client.ts';
import { parseCertificate, parseCertificates, uriNames } from '../x509/certificate.ts';
import { makeCsr } from '../x509/csr.ts';
import { generateKey } from '../x509/keys.ts';
import { toPem } from '../x509/pem.ts';
import { verifyChain } from '../x509/verify-chain.ts';
import {
  type CertificateEvent,
  certificateService,
  certificateServiceName,
  type CertificateServiceOptions,
} from './certificate-service.ts';
import { NodeAuthorizer } from './node-authorizer.ts';
import { ServingCertificate } from './serving-certificate.ts';

const trustDomains = () => ({ own: 'mesh.example', aliases: ['old.example'] });
const reviews = 'spiffe://mesh.example/ns/shop/sa/reviews';
const method = `/${certificateServiceName}/CreateCertificate`;

/** Knows everybody as the same caller. */
const known = (caller: Partial<Caller> = {}): Authenticator => ({
  name: 'test',
  authenticate: () =>
    Promise.resolve<Authentication>({
      kind: 'authenticated',
      caller: { source: 'token', identities: [reviews], ...caller },
    }),
});

async function serve(options: Partial<CertificateServiceOptions> = {}) {
  const authority = options.authority ?? (await testAuthority());
  const events: CertificateEvent[] = [];
  const observe = (event: CertificateEvent) => void events.push(event);
  const server = new GrpcServer().addService(
    certificateServiceName,
    certificateService({ authority, authenticators: [known()], trustDomains, observe, ...options }),
  );
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const call = async (request: object): Promise<readonly string[]> => {
    const bytes = await unaryCall(port, method, encode('istio.v1.auth.IstioCertificateRequest', request));
    return decode('istio.v1.auth.IstioCertificateResponse', bytes).certChain ?? [];
  };
  return {
    authority,
    events,
    call,
    refusal: (request: object) =>
      call(request).then(
        () => undefined,
        (error: GrpcFailure) => [error.code, error.details],
      ),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const workload = await generateKey({ algorithm: 'P-256' });
const csr = await makeCsr(workload, { names: [reviews] });

describe('a request for a certificate', () => {
  test("is answered with a certificate of the caller's, the chain one by one, and the roots last", async () => {
    const root = await authorityPair({ name: 'root' });
    const other = await authorityPair({ name: 'other root' });
    const intermediate = await authorityPair({ name: 'intermediate', issuer: root });
    const texts = intermediateTexts(intermediate, root);
    const material = readCaMaterial({ ...texts, roots: texts.roots + other.certificate });
    await using server = await serve({ authority: new CertificateAuthority({ material }) });
    const chain = await server.call({ csr, validityDuration: '3600' });
    expect(chain.map((element) => parseCertificates(element).length)).toEqual([1, 1, 2]);
    const leaf = parseCertificate(chain[0]!);
    expect(uriNames(leaf)).toEqual([reviews]);
    expect(
      verifyChain(leaf, { roots: parseCertificates(chain[2]!), intermediates: parseCertificates(chain[1]!) }),
    ).toHaveLength(3);
    expect(leaf.notAfter.getTime() - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect(leaf.notAfter.getTime() - leaf.notBefore.getTime()).toBe(3_600_000 + 120_000);
    expect(server.events).toEqual([{ kind: 'received' }, { kind: 'signed', identities: [reviews] }]);
  });

  test.each([
    ['no names', []],
    ['its own name', [reviews]],
    ['its name in an alias of the trust domain', ['spiffe://old.example/ns/shop/sa/reviews']],
    ['its name of a proxy that was not told the trust domain', ['spiffe://cluster.local/ns/shop/sa/reviews']],
  ])('may have %s in it, which the certificate does not', async (_, names) => {
    await using server = await serve();
    const [leaf] = await server.call({ csr: await makeCsr(workload, { names }) });
    expect(uriNames(parseCertificate(leaf!))).toEqual([reviews]);
  });

  test('asks for as long as it likes, up to what is allowed and the issuer lives', async () => {
    await using server = await serve({
      authority: await testAuthority({ lifetimes: { defaultTtl: 60_000, maximumTtl: 1e9 } }),
    });
    const lifeOf = async (request: object) => {
      const leaf = parseCertificate((await server.call({ csr, ...request }))[0]!);
      return leaf.notAfter.getTime() - leaf.notBefore.getTime() - 120_000;
    };
    expect(await lifeOf({})).toBe(60_000);
    expect(await lifeOf({ validityDuration: '-5' })).toBe(60_000);
    expect(await lifeOf({ validityDuration: '90' })).toBe(90_000);
    const until = server.authority.material.certificate.notAfter.getTime();
    expect(await lifeOf({ validityDuration: '1000000' })).toBeLessThanOrEqual(until - Date.now() + 1000);
  });
});

describe('a bad request is refused, plainly', () => {
  const { INVALID_ARGUMENT, PERMISSION_DENIED } = Status;
  const withNames = (...names: readonly string[]) => makeCsr(workload, { names });
  const tampered = (pem: string): string => {
    const der = Buffer.from(pem.split('\n').slice(1, -2).join(''), 'base64');
    der[der.length - 3]! ^= 1;
    return toPem('CERTIFICATE REQUEST', der);
  };
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const curve = generateKeyPairSync('ec', { namedCurve: 'secp521r1' }).privateKey;

  test.each<readonly [string, () => string | Promise<string>, number, string]>([
    ['empty', () => '', INVALID_ARGUMENT, 'certificate signing request is not properly encoded'],
    ['garbage', () => 'garbage', INVALID_ARGUMENT, 'certificate signing request is not properly encoded'],
    [
      'no ASN.1',
      () => toPem('CERTIFICATE REQUEST', Buffer.from('garbage')),
      INVALID_ARGUMENT,
      'failed to parse X.509 certificate signing request',
    ],
    [
      'a certificate',
      async () => (await authorityPair({ name: 'x' })).certificate,
      INVALID_ARGUMENT,
      'failed to parse X.509 certificate signing request: it is a CERTIFICATE',
    ],
    ['two of them', () => csr + csr, INVALID_ARGUMENT, 'more than one certificate signing request was sent'],
    [
      'oversized',
      () => csr + ' '.repeat(40_000),
      INVALID_ARGUMENT,
      'the certificate signing request is longer than 32768 characters',
    ],
    ['tampered with', () => tampered(csr), INVALID_ARGUMENT, 'the request is not signed with the key that it is for'],
    [
      'a weak RSA key',
      () => makeCsr(weak, { names: [reviews] }),
      INVALID_ARGUMENT,
      'the RSA key has 1024 bits, at least 2048 are needed',
    ],
    [
      "another's identity",
      () => withNames('spiffe://mesh.example/ns/shop/sa/ratings'),
      PERMISSION_DENIED,
      'the request asks for uri "spiffe://mesh.example/ns/shop/sa/ratings", which is not the caller\'s',
    ],
    [
      'another namespace',
      () => withNames(reviews, 'spiffe://mesh.example/ns/bank/sa/reviews'),
      PERMISSION_DENIED,
      'the request asks for uri "spiffe://mesh.example/ns/bank/sa/reviews", which is not the caller\'s',
    ],
    [
      'another trust domain',
      () => withNames('spiffe://evil.example/ns/shop/sa/reviews'),
      PERMISSION_DENIED,
      'the request asks for uri "spiffe://evil.example/ns/shop/sa/reviews", which is not the caller\'s',
    ],
    [
      'a DNS name',
      () => withNames('istiod.istio-system.svc'),
      PERMISSION_DENIED,
      'the request asks for dns "istiod.istio-system.svc", which is not the caller\'s',
    ],
  ])('%s', async (_, make, code, message) => {
    await using server = await serve();
    expect(await server.refusal({ csr: await make() })).toEqual([code, `CSR signing error (${message})`]);
  });

  test('a curve that is not supported', async () => {
    await expect(makeCsr(curve, { names: [] })).rejects.toThrow('the key is none of ECDSA P-256, ECDSA P-384 and RSA');
  });

  test('for too long', async () => {
    await using server = await serve();
    expect(await server.refusal({ csr, validityDuration: '7776001' })).toEqual([
      INVALID_ARGUMENT,
      'CSR signing error (requested TTL 7776001s is greater than the max allowed TTL 7776000s)',
    ]);
  });

  test('for a signer that is not here', async () => {
    await using server = await serve();
    const refusal = await server.refusal({ csr, metadata: { CertSigner: 'x' } });
    expect(refusal).toEqual([INVALID_ARGUMENT, expect.stringContaining('no other signers')]);
  });

  test('below a root that has expired', async () => {
    const authority = await testAuthority();
    const later = new CertificateAuthority({ material: authority.material, now: () => Date.now() + 25 * 3_600_000 });
    await using server = await serve({ authority: later });
    expect(await server.refusal({ csr })).toEqual([
      Status.INTERNAL,
      expect.stringContaining('signing certificate has expired'),
    ]);
  });

  test('in plain text, where TLS is required', async () => {
    await using server = await serve({ requireTls: true });
    expect(await server.refusal({ csr })).toEqual([Status.UNAUTHENTICATED, 'certificates are signed over TLS only']);
  });

  test('of nobody known', async () => {
    await using server = await serve({ authenticators: [new ClientCertificateAuthenticator({ trustDomains })] });
    expect(await server.refusal({ csr })).toEqual([
      Status.UNAUTHENTICATED,
      'request authenticate failure: no client certificate is presented',
    ]);
    expect(server.events.map(({ kind }) => kind)).toEqual(['received', 'unauthenticated']);
  });
});

describe('on behalf of another', () => {
  const ztunnel = {
    namespace: 'istio-system',
    serviceAccount: 'ztunnel',
    podName: 'ztunnel-1',
    podUid: 'uid-1',
    clusterId: '',
  };
  const pod = { namespace: 'istio-system', serviceAccount: 'ztunnel', uid: 'uid-1', node: 'node-1' };
  const nodes = new NodeAuthorizer({
    trustedAccounts: [{ namespace: 'istio-system', serviceAccount: 'ztunnel' }],
    podsOf: (clusterId) =>
      clusterId === ''
        ? {
            pod: (namespace, name) => (`${namespace}/${name}` === 'istio-system/ztunnel-1' ? pod : undefined),
            runsOn: (node, { namespace, serviceAccount }) =>
              `${node} ${namespace}/${serviceAccount}` === 'node-1 shop/reviews',
          }
        : undefined,
  });
  const request = (identity: string) => ({ csr, metadata: { ImpersonatedIdentity: identity } });
  const as = (kubernetes: Caller['kubernetes']) => [
    known({ identities: ['spiffe://mesh.example/ns/istio-system/sa/ztunnel'], kubernetes }),
  ];

  test("a node's proxy gets certificates of its node's pods", async () => {
    await using server = await serve({ nodes, authenticators: as(ztunnel) });
    const [leaf] = await server.call(request(reviews));
    expect(uriNames(parseCertificate(leaf!))).toEqual([reviews]);
  });

  test.each([
    ['of pods elsewhere', ztunnel, 'spiffe://mesh.example/ns/shop/sa/ratings'],
    ['of no workload', ztunnel, 'spiffe://mesh.example/something'],
    ['as another account', { ...ztunnel, serviceAccount: 'reviews' }, reviews],
    ['as a pod that is gone', { ...ztunnel, podUid: 'uid-0' }, reviews],
    ['as an unknown pod', { ...ztunnel, podName: 'ztunnel-2' }, reviews],
    ['in an unknown cluster', { ...ztunnel, clusterId: 'x' }, reviews],
    ['without a pod', undefined, reviews],
  ])('nobody gets them %s', async (_, kubernetes, identity) => {
    await using server = await serve({ nodes, authenticators: as(kubernetes) });
    expect(await server.refusal(request(identity))).toEqual([
      Status.UNAUTHENTICATED,
      'request impersonation authentication failure',
    ]);
  });

  test('nobody gets them where nobody is trusted', async () => {
    await using server = await serve({ authenticators: as(ztunnel) });
    expect(await server.refusal(request(reviews))).toEqual([Status.UNAUTHENTICATED, expect.any(String)]);
  });
});

describe('whatever bytes come', () => {
  const runs = Number(process.env.FUZZ_RUNS ?? 2000);
  const der = Buffer.from(csr.split('\n').slice(1, -2).join(''), 'base64');
  const mutated = fc
    .array(fc.tuple(fc.nat(der.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const copy = Buffer.from(der);
      for (const [at, value] of changes) copy[at] = value;
      return toPem('CERTIFICATE REQUEST', copy);
    });
  const text = fc.oneof(
    fc.string(),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => toPem('CERTIFICATE REQUEST', bytes)),
    fc.nat(der.length).map((length) => toPem('CERTIFICATE REQUEST', der.subarray(0, length))),
    mutated,
  );
  const message = fc.oneof(
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }) },
    { weight: 4, arbitrary: text.map((value) => encode('istio.v1.auth.IstioCertificateRequest', { csr: value })) },
  );

  test(`${runs} requests are answered with a certificate or a plain refusal`, async () => {
    const options = { authority: await testAuthority(), authenticators: [known()], trustDomains };
    const { CreateCertificate: create } = certificateService(options);
    const call = {
      peer: { address: '', tls: true, certificate: undefined },
      metadata: new Map(),
    } as unknown as CallContext;
    const outcomes: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(message, async (bytes) => {
        const outcome = await Promise.resolve((create as UnaryMethod).handle(bytes, call)).then(
          () => 'OK',
          (error: unknown) => (error instanceof GrpcError ? statusName(error.code) : String(error)),
        );
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }),
      { numRuns: runs },
    );
    expect(
      Object.keys(outcomes).filter((name) => !['OK', 'INVALID_ARGUMENT', 'PERMISSION_DENIED'].includes(name)),
    ).toEqual([]);
    expect(outcomes['INVALID_ARGUMENT']).toBeGreaterThan(runs / 2);
  }, 120_000);
});

describe('over TLS', () => {
  test('a workload renews by its certificate, while the server renews its own', async () => {
    const authority = await testAuthority();
    using serving = await ServingCertificate.issue({
      authority,
      names: ['localhost', '127.0.0.1'],
      ttl: 3_600_000,
      report: () => undefined,
    });
    const authenticators = [new ClientCertificateAuthenticator({ trustDomains })];
    await using server = new GrpcServer().addService(
      certificateServiceName,
      certificateService({ authority, authenticators, trustDomains }),
    );
    const tls = { credentials: serving.credentials, clientCertificate: 'optional' } as const;
    const listener = await server.listen({ host: '127.0.0.1', port: 0, tls });
    using _ = serving.subscribe((credentials) => listener.setCredentials(credentials));
    const own = await authority.issueKey([reviews], 3_600_000);
    const renew = async () => {
      const request = encode('istio.v1.auth.IstioCertificateRequest', { csr });
      const bytes = await unaryCall(listener.port, method, request, {
        roots: authority.roots,
        key: own.key,
        chain: own.chain,
      });
      return uriNames(parseCertificate(decode('istio.v1.auth.IstioCertificateResponse', bytes).certChain![0]!));
    };
    expect(await renew()).toEqual([reviews]);
    const before = serving.credentials.cert;
    await serving.renew();
    expect(serving.credentials.cert).not.toBe(before);
    expect(await renew()).toEqual([reviews]);
  });
});
