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

interface OpenWatch {
  readonly url: URL;
  readonly response: ServerResponse;
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
  readonly #watches = new Set<OpenWatch>();
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
    const answered = this.answer(seen);
    const url = new URL(seen.path, 'https://server');
    if (!answered && url.searchParams.has('watch')) {
      this.#watch(url, response);
      return;
    }
    const { status, body } =
      answered ?? (isCollection(url) && seen.method === 'GET' ? this.#list(url) : this.#keep(seen));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  /** Puts an object as somebody else would, so that watches hear of it. */
  put(path: string, object: object): void {
    const { metadata } = object as StoredObject;
    const kept = { ...object, metadata: { ...metadata, resourceVersion: String(++this.#version) } };
    const type = this.objects.has(path) ? 'MODIFIED' : 'ADDED';
    this.objects.set(path, kept);
    this.#tell(path, type, kept);
  }

  /** Deletes an object likewise. */
  remove(path: string): void {
    const stored = this.objects.get(path) as StoredObject | undefined;
    this.objects.delete(path);
    if (!stored) return;
    const metadata = { ...stored.metadata, resourceVersion: String(++this.#version) };
    this.#tell(path, 'DELETED', { ...stored, metadata });
  }

  /** Ends all watches, after an event of one's own if any. */
  endWatches(event?: object): void {
    for (const { response } of this.#watches) response.end(event ? `${JSON.stringify(event)}\n` : '');
    this.#watches.clear();
  }

  /** How many watches are open. */
  get watches(): number {
    return this.#watches.size;
  }

  #list(url: URL): FakeAnswer {
    const items = [...this.objects].filter(([path]) => isSelected(path, url)).map(([, object]) => object);
    return { status: 200, body: { items, metadata: { resourceVersion: String(this.#version) } } };
  }

  #watch(url: URL, response: ServerResponse): void {
    const watch = { url, response };
    this.#watches.add(watch);
    response.on('close', () => this.#watches.delete(watch));
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  }

  #tell(path: string, type: string, object: object): void {
    for (const { url, response } of this.#watches) {
      if (isSelected(path, url)) response.write(`${JSON.stringify({ type, object })}\n`);
    }
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
    this.put(at, object);
    return { status: method === 'POST' ? 201 : 200, body: this.objects.get(at)! };
  }
}

/** Whether a path is that of all objects of a type, which the API has under an odd number of names. */
const isCollection = ({ pathname }: URL): boolean => {
  const [, kind, ...rest] = pathname.split('/');
  return (rest.length - (kind === 'api' ? 1 : 2)) % 2 === 1;
};

/** Whether an object is among those of a collection, of whatever namespace. */
function isSelected(path: string, { pathname, searchParams }: URL): boolean {
  const [, wanted] = /^metadata\.name=(.*)$/.exec(searchParams.get('fieldSelector') ?? '') ?? [];
  const name = path.slice(path.lastIndexOf('/') + 1);
  const of = path.slice(0, path.lastIndexOf('/'));
  return (of === pathname || of.replace(/\/namespaces\/[^/]+/, '') === pathname) && (!wanted || wanted === name);
}

const refusal = (code: number, reason: string, message: string): FakeAnswer => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message },
});
