import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authority, edge } from './certificates.ts';

interface StoredObject {
  readonly metadata?: { readonly name?: string; readonly resourceVersion?: string };
}

export interface FakeAnswer {
  readonly status: number;
  readonly body: object;
}

/** A request as it came; the body is that of a POST or PUT. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

/** Stands in for an API server: keeps objects by their paths, and refuses what Kubernetes refuses. */
export class FakeApiServer implements AsyncDisposable {
  /** By path, such as `/api/v1/namespaces/shop/secrets/key`. */
  readonly objects = new Map<string, object>();
  readonly requests: FakeRequest[] = [];
  /** Answers before the objects do; undefined leaves it to them. */
  answer: (request: FakeRequest) => FakeAnswer | undefined = () => undefined;
  readonly #dir: string;
  readonly #server: Server;
  #version = 0;

  private constructor(dir: string) {
    this.#dir = dir;
    this.#server = createServer(
      { key: edge.key, cert: edge.certificate },
      (request, response) => void this.#serve(request, response),
    );
  }

  static async start(): Promise<FakeApiServer> {
    const fake = new FakeApiServer(await mkdtemp(join(tmpdir(), 'api-server-')));
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    const cluster = {
      server: `https://127.0.0.1:${(fake.#server.address() as AddressInfo).port}`,
      'tls-server-name': 'api.example.com',
      'certificate-authority-data': Buffer.from(authority).toString('base64'),
    };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'fake', cluster }],
      users: [{ name: 'me', user: { token: 'my-token' } }],
      contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'me' } }],
      'current-context': 'fake',
    };
    await writeFile(fake.kubeconfig, JSON.stringify(config));
    return fake;
  }

  get kubeconfig(): string {
    return join(this.#dir, 'kubeconfig');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close().closeAllConnections();
    await rm(this.#dir, { recursive: true, force: true });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const seen: FakeRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      authorization: request.headers.authorization,
      body: text === '' ? undefined : JSON.parse(text),
    };
    this.requests.push(seen);
    const { status, body } = this.answer(seen) ?? this.#keep(seen);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  #keep({ method, path, body }: FakeRequest): FakeAnswer {
    const object = (body ?? {}) as StoredObject;
    const at = method === 'POST' ? `${path}/${object.metadata?.name ?? ''}` : path;
    const stored = this.objects.get(at) as StoredObject | undefined;
    if (method === 'POST' && stored) return refusal(409, 'AlreadyExists', `${at} already exists`);
    if (method !== 'POST' && !stored) return refusal(404, 'NotFound', `${at} not found`);
    if (method === 'GET') return { status: 200, body: stored! };
    const { resourceVersion = stored?.metadata?.resourceVersion } = object.metadata ?? {};
    if (resourceVersion !== stored?.metadata?.resourceVersion) return refusal(409, 'Conflict', `${at} has changed`);
    const kept = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    this.objects.set(at, kept);
    return { status: method === 'POST' ? 201 : 200, body: kept };
  }
}

const refusal = (code: number, reason: string, message: string): FakeAnswer => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message },
});
