import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../logging/logging.ts';

/** A request as handlers see it. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Address of the peer, without its port. */
  readonly peer: string;
}

export interface HttpResponse {
  readonly status?: number;
  readonly contentType?: string;
  readonly body: string;
}

export type HttpHandler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

/** Handlers by path. */
export type Routes = ReadonlyMap<string, HttpHandler>;

/** A value as JSON; readable for people where the query has `pretty`. */
export function json(value: unknown, { query }: HttpRequest): HttpResponse {
  const body = JSON.stringify(value, null, query.has('pretty') ? 2 : undefined);
  return { contentType: 'application/json', body: `${body}\n` };
}

export const text = (body: string, status = 200): HttpResponse => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body,
});

/** A small HTTP server for metrics, readiness and debugging. */
export class HttpServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #routes: Routes;
  readonly #log: Logger;

  constructor(routes: Routes, log: Logger) {
    this.#routes = routes;
    this.#log = log;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** Rejects where the address can't be bound. Gives the port, which is a free one where 0 was asked for. */
  async listen({ host, port }: HostPort): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status = 200, contentType = 'text/plain', body } = await this.#answer(request);
    response.writeHead(status, { 'content-type': contentType });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  async #answer(request: IncomingMessage): Promise<HttpResponse> {
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    if (!url) return text('bad request\n', 400);
    const handler = this.#routes.get(url.pathname);
    if (!handler) return text('not found\n', 404);
    try {
      const peer = request.socket.remoteAddress ?? '';
      return await handler({ method: request.method ?? 'GET', path: url.pathname, query: url.searchParams, peer });
    } catch (error) {
      this.#log.error(`${url.pathname} failed`, { error });
      return text('internal error\n', 500);
    }
  }
}

/** Where to listen. An absent host means all addresses. */
export interface HostPort {
  readonly host: string | undefined;
  readonly port: number;
}

/** Reads `:8080`, `127.0.0.1:8080` or `[::1]:8080`; undefined where the text is none of these. */
export function parseHostPort(address: string): HostPort | undefined {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return undefined;
  return { host: match[1] || match[2] || undefined, port };
}
