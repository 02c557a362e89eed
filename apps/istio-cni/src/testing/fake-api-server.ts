import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Pod } from '../kubernetes/pod.ts';

export interface FakeApiServerOptions {
  /** What clients must show. */
  readonly token: string;
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly contentType: string | undefined;
  readonly body: unknown;
}

/** An API server that knows pods: get, list, watch, delete, patches and events. */
export class FakeApiServer implements AsyncDisposable {
  readonly pods = new Map<string, Pod>();
  readonly received: Received[] = [];
  /** What requests are answered with instead, if anything. */
  refusal: { readonly status: number; readonly message: string } | undefined;
  token: string;
  readonly #watchers = new Set<ServerResponse>();
  readonly #server: Server;
  readonly #scheme: string;

  private constructor({ token, tls }: FakeApiServerOptions) {
    this.token = token;
    this.#scheme = tls ? 'https' : 'http';
    const listener: RequestListener = (request, response) => void this.#answer(request, response);
    this.#server = tls ? createTlsServer(tls, listener) : createServer(listener);
  }

  static async start(options: FakeApiServerOptions, port = 0): Promise<FakeApiServer> {
    const server = new FakeApiServer(options);
    await new Promise<void>((resolve) => server.#server.listen(port, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  /** Adds or changes a pod. */
  put(pod: Pod): void {
    const { namespace, name } = pod.metadata;
    const type = this.pods.has(`${namespace}/${name}`) ? 'MODIFIED' : 'ADDED';
    this.pods.set(`${namespace}/${name}`, pod);
    this.tell({ type, object: pod });
  }

  /** Sends an event to all that watch. */
  tell(event: object): void {
    for (const watcher of this.#watchers) watcher.write(`${JSON.stringify(event)}\n`);
  }

  /** Ends all watches. */
  hangUp(): void {
    for (const watcher of this.#watchers) watcher.destroy();
    this.#watchers.clear();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams } = new URL(request.url!, this.url);
    const query = Object.fromEntries(searchParams);
    const method = request.method!;
    const body = method === 'GET' ? undefined : await json(request).catch(() => undefined);
    this.received.push({ method, path, query, contentType: request.headers['content-type'], body });
    const send = (status: number, document: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    };
    const refuse = (status: number, message: string) => send(status, { kind: 'Status', code: status, message });
    if (request.headers.authorization !== `Bearer ${this.token}`) return refuse(401, 'Unauthorized');
    if (this.refusal) return refuse(this.refusal.status, this.refusal.message);
    if (query.watch === 'true') {
      response.writeHead(200).flushHeaders();
      this.#watchers.add(response.on('close', () => this.#watchers.delete(response)));
      return;
    }
    if (path === '/api/v1/pods')
      return send(200, { metadata: { resourceVersion: '1' }, items: [...this.pods.values()] });
    const [, namespace, kind, name = ''] = /^\/api\/v1\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?/.exec(path) ?? [];
    if (kind === 'events') return send(201, {});
    const key = `${namespace}/${name}`;
    const pod = this.pods.get(key);
    if (pod === undefined) return refuse(404, `pods "${name}" not found`);
    if (method === 'DELETE') {
      this.pods.delete(key);
      this.tell({ type: 'DELETED', object: pod });
    }
    send(200, pod);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.hangUp();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
