import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Logger } from '@kedge/observability';
import type { LookupTable } from '../dns/lookup-table.ts';
import type { AppProber } from './app-probers.ts';
import { answer, type Handler, localCommand, onlyLocal } from './http-answer.ts';
import type { MergedMetrics } from './merged-metrics.ts';

export interface StatusServerOptions {
  /** Why the proxy is not ready, or undefined if it is. */
  readonly notReadyReason: () => Promise<string | undefined>;
  readonly metrics: MergedMetrics;
  readonly metricsOnLocalhost: boolean;
  readonly probers: ReadonlyMap<string, AppProber>;
  /** Where the application is probed. */
  readonly applicationHost: string;
  readonly http2Probes: boolean;
  /** The names that DNS is answered by; undefined where there are none. */
  readonly names: () => LookupTable | undefined;
  /** Starts draining without an end: the pod shuts down, but the end of this container comes later. */
  readonly drain: () => void;
  /** Ends the agent without draining. */
  readonly quit: () => void;
  readonly log: Logger;
}

const compress = promisify(gzip);

/** The agent's HTTP server: readiness, metrics, probes of the application, and the end of the agent. */
export class StatusServer implements AsyncDisposable {
  readonly #options: StatusServerOptions;
  readonly #server: Server;
  #handlers: Readonly<Record<string, Handler>> = {};
  #appProbe: Handler | undefined;
  #wasReady = false;

  constructor(options: StatusServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      const url = URL.parse(request.url ?? '/', 'http://agent') ?? new URL('http://agent/');
      const handled = Promise.resolve().then(() => this.#handlerOf(url.pathname)(request, response, url));
      void handled.catch((error: unknown) => {
        options.log.error('a status request failed', { error, path: url.pathname });
        answer(response, 500, 'internal error\n');
      });
    });
  }

  /** Rejects if the port is taken. Gives the port, for a port of 0. */
  async listen(port: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#server.once('error', (error) => {
      reject(new Error(`status port ${port}: ${error.message}`));
    });
    this.#server.listen(port, () => {
      const address = this.#server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
    const bound = await promise;
    this.#route(bound);
    return bound;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #route(statusPort: number): void {
    const {
      probers,
      applicationHost: host,
      http2Probes: http2,
      metricsOnLocalhost,
      names,
      drain,
      quit,
      log,
    } = this.#options;
    const ready: Handler = (_, response) => this.#ready(response);
    const everybody: Handler = (request, response, url) => this.#metrics(request, response, url);
    const metrics = metricsOnLocalhost ? onlyLocal(everybody) : everybody;
    this.#handlers = {
      '/healthz/ready': ready,
      '/ready': ready,
      '/metrics': metrics,
      '/stats/prometheus': metrics,
      '/quitquitquit': localCommand(quit),
      '/drain': localCommand(drain),
      '/debug/ndsz': onlyLocal((_, response) => sendNames(response, names())),
    };
    this.#appProbe = async (request, response, url) => {
      // Not every application has probes; the others don't load what they need.
      const { appProbeHandler } = await import('./app-probe-handler.ts');
      return appProbeHandler({ probers, host, http2, statusPort, log })(request, response, url);
    };
  }

  #handlerOf(path: string): Handler {
    if (Object.hasOwn(this.#handlers, path)) return this.#handlers[path]!;
    if (/^\/app-(health|lifecycle)\//.test(path) && this.#appProbe) return this.#appProbe;
    if (path.startsWith('/debug/pprof/')) return profiling;
    return (_, response) => answer(response, 404, 'not found\n');
  }

  async #ready(response: ServerResponse): Promise<void> {
    const { notReadyReason, log } = this.#options;
    const reason = await notReadyReason();
    if (reason !== undefined) log.warn(`Envoy proxy is NOT ready: ${reason}`);
    else if (!this.#wasReady) log.info('Envoy proxy is ready');
    this.#wasReady = reason === undefined;
    answer(response, reason === undefined ? 200 : 503, reason === undefined ? '' : `${reason}\n`);
  }

  async #metrics({ headers }: IncomingMessage, response: ServerResponse, { search }: URL): Promise<void> {
    const { contentType, body } = await this.#options.metrics.answer(headers, search);
    response.setHeader('Content-Type', contentType);
    response.setHeader('Vary', 'Accept, Accept-Encoding');
    if (!/\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))) return answer(response, 200, body);
    response.setHeader('Content-Encoding', 'gzip');
    answer(response, 200, await compress(body));
  }
}

const profiling: Handler = onlyLocal((_, response) => {
  answer(response, 501, 'profiles of the agent are not built yet in this version\n');
});

function sendNames(response: ServerResponse, names: LookupTable | undefined): void {
  response.setHeader('Content-Type', 'application/json');
  const table = (names?.entries() ?? []).map(([name, { v4, v6 }]) => [name, { ips: [...v4, ...v6] }] as const);
  answer(response, names ? 200 : 404, JSON.stringify(names ? { table: Object.fromEntries(table) } : {}));
}
