import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { decode, encode, unpackAny } from '@kedge/envoy-api';
import { testCertificates, until } from '@kedge/testbed';
import { collectingLogger } from '../testing/collecting-logger.ts';
import { SdsServer } from './sds-server.ts';

const typeUrl = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret';
const node = { id: 'sidecar~10.0.0.1~web-0.shop~shop.svc.cluster.local' };
const raw = (bytes: Buffer): Buffer => bytes;

const dialects = {
  sotw: {
    method: 'StreamSecrets',
    request: (names: readonly string[], nonce: string) =>
      encode('envoy.service.discovery.v3.DiscoveryRequest', {
        node,
        typeUrl,
        resourceNames: [...names],
        responseNonce: nonce,
      }),
    read: (bytes: Buffer) => {
      const { nonce = '', resources = [] } = decode('envoy.service.discovery.v3.DiscoveryResponse', bytes);
      return { nonce, resources };
    },
  },
  delta: {
    method: 'DeltaSecrets',
    request: (names: readonly string[], nonce: string) =>
      encode('envoy.service.discovery.v3.DeltaDiscoveryRequest', {
        node,
        typeUrl,
        resourceNamesSubscribe: nonce ? [] : [...names],
        responseNonce: nonce,
      }),
    read: (bytes: Buffer) => {
      const { nonce = '', resources = [] } = decode('envoy.service.discovery.v3.DeltaDiscoveryResponse', bytes);
      return { nonce, resources: resources.map(({ resource }) => resource!) };
    },
  },
} as const;

let dir: string;
let server: SdsServer;
let failures: number;
let client: Client;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sds-'));
  failures = 0;
  server = new SdsServer(collectingLogger().log, () => failures++);
  await server.listen(join(dir, 'run/socket'));
  client = new Client(`unix:${join(dir, 'run/socket')}`, credentials.createInsecure());
});
afterEach(async () => {
  client.close();
  await server[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

describe.each(Object.values(dialects))('$method', ({ method, request, read }) => {
  /** Texts of the secrets as they come, each acknowledged. */
  function subscribe(...names: string[]): {
    next(): Promise<readonly string[]>;
    stream: ClientDuplexStream<Buffer, Buffer>;
  } {
    const stream = client.makeBidiStreamRequest(`/envoy.service.secret.v3.SecretDiscoveryService/${method}`, raw, raw);
    stream.on('error', () => undefined);
    stream.write(Buffer.from(request(names, '')));
    const messages = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const next = async (): Promise<readonly string[]> => {
      const { value } = await messages.next();
      const { nonce, resources } = read(value as Buffer);
      stream.write(Buffer.from(request(names, nonce)));
      return resources.map((any) => {
        const secret = unpackAny('envoy.extensions.transport_sockets.tls.v3.Secret', any)!;
        const text = secret.tlsCertificate?.certificateChain ?? secret.validationContext?.trustedCa;
        return `${secret.name}: ${Buffer.from(text?.inlineBytes ?? '', 'base64').toString()}`;
      });
    };
    return { next, stream };
  }

  test('answers once a secret is there, and pushes each new one', async () => {
    const { next, stream } = subscribe('default');
    server.set({ ROOTCA: { roots: 'r' } });
    server.set({ default: { chain: 'one', key: 'k' } });
    expect(await next()).toEqual(['default: one']);
    server.set({ default: { chain: 'two', key: 'k' }, ROOTCA: { roots: 'r2' } });
    expect(await next()).toEqual(['default: two']);
    stream.cancel();
  });

  test('serves roots', async () => {
    server.set({ ROOTCA: { roots: 'r' } });
    const { next, stream } = subscribe('ROOTCA');
    expect(await next()).toEqual(['ROOTCA: r']);
    stream.cancel();
  });

  test('further roots are beside those of the workload, whichever come first, and each once', async () => {
    const [one, two, three] = [
      testCertificates.authority,
      testCertificates.edge.certificate,
      testCertificates.client.certificate,
    ];
    server.setFurtherRoots(one + two);
    server.set({ ROOTCA: { roots: one } });
    const { next, stream } = subscribe('ROOTCA');
    expect(await next()).toEqual([`ROOTCA: ${one}${two}`]);
    server.setFurtherRoots(three);
    expect(await next()).toEqual([`ROOTCA: ${one}${three}`]);
    server.set({ ROOTCA: { roots: two } });
    expect(await next()).toEqual([`ROOTCA: ${two}${three}`]);
    stream.cancel();
  });

  test('further roots that are none are refused, and those of the workload are served on', async () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    expect(() => server.setFurtherRoots(broken)).toThrow('failed to parse X.509 certificate');
    server.set({ ROOTCA: { roots: testCertificates.authority } });
    const { next, stream } = subscribe('ROOTCA');
    expect(await next()).toEqual([`ROOTCA: ${testCertificates.authority}`]);
    stream.cancel();
  });

  test('follows files by their names, also where they come later', async () => {
    const file = (name: string): string => join(dir, name);
    const certificate = subscribe(`file-cert:${file('cert.pem')}~${file('key.pem')}`);
    const roots = subscribe(`file-root:${file('root.pem')}`);
    await until('both to be missed', () => failures >= 2);
    await writeFile(file('key.pem'), 'k');
    await writeFile(file('cert.pem'), 'c1');
    await writeFile(file('root.pem'), 'r1');
    expect(await certificate.next()).toEqual([expect.stringMatching(/^file-cert:.*key\.pem: c1$/)]);
    expect(await roots.next()).toEqual([expect.stringMatching(/^file-root:.*root\.pem: r1$/)]);
    await writeFile(file('cert.pem'), 'c2');
    expect(await certificate.next()).toEqual([expect.stringMatching(/: c2$/)]);
    for (const { stream } of [certificate, roots]) stream.cancel();
  });
});
