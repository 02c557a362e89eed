import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { Logger, MetricRegistry } from '@kedge/observability';
import { type EnvoyAdmin, prometheusStats } from '../envoy/admin.ts';
import type { AgentMetrics } from '../metrics.ts';

export interface StatusServerOptions {
  /** Why the proxy is not ready, or undefined if it is. */
  readonly notReadyReason: () => Promise<string | undefined>;
  /** Envoy's statistics are part of the metrics where this is given. */
  readonly envoy?: EnvoyAdmin;
  readonly metricsOnLocalhost: boolean;
  readonly registry: MetricRegistry;
  readonly metrics: AgentMetrics;
  /** Starts draining without an end: the pod shuts down, but the end of this container comes later. */
  readonly drain: () => void;
  /** Ends the agent without draining. */
  readonly quit: () => void;
  readonly log: Logger;
}

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>;

/** The agent's HTTP server: readiness, metrics, and the end of the agent. */
export class StatusServer implements AsyncDisposable {
  readonly #options: StatusServerOptions;
  readonly #server: Server;
  #wasReady = false;

  constructor(options: StatusServerOptions) {
    this.#options = options;
    const ready: Handler = (_, response) => this.#ready(response);
    const metrics: Handler = (request, response, url) => this.#metrics(request, response, url);
    const handlers: Readonly<Record<string, Handler>> = {
      '/healthz/ready': ready,
      '/ready': ready,
      '/metrics': metrics,
      '/stats/prometheus': metrics,
      '/quitquitquit': localPost(options.quit),
      '/drain': localPost(options.drain),
    };
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://agent');
      const handle = Object.hasOwn(handlers, url.pathname) ? handlers[url.pathname] : undefined;
      void Promise.resolve((handle ?? unknownPath)(request, response, url)).catch((error: unknown) => {
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
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #ready(response: ServerResponse): Promise<void> {
    const { notReadyReason, log } = this.#options;
    const reason = await notReadyReason();
    if (reason !== undefined) log.warn(`Envoy proxy is NOT ready: ${reason}`);
    else if (!this.#wasReady) log.info('Envoy proxy is ready');
    this.#wasReady = reason === undefined;
    answer(response, reason === undefined ? 200 : 503, reason === undefined ? '' : `${reason}\n`);
  }

  /** The agent's own metrics, then Envoy's. A part that fails is left out and counted: better some metrics than none. */
  async #metrics(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const { envoy, metrics, metricsOnLocalhost, registry, log } = this.#options;
    if (metricsOnLocalhost && !isLocal(request)) {
      answer(response, 403, 'only requests from this host are allowed\n');
      return;
    }
    metrics.istio_agent_scrapes_total.increment();
    const envoyPart = envoy
      ? await prometheusStats(envoy, url.search).catch((error: unknown) => {
          log.error("Envoy's metrics cannot be had", { error });
          metrics.istio_agent_scrape_failures_total.increment({ type: 'envoy' });
          return '';
        })
      : '';
    response.setHeader('Content-Type', registry.contentType);
    answer(response, 200, `${await registry.text()}${envoyPart}`);
  }
}

const unknownPath: Handler = (_, response, { pathname }) => {
  if (/^\/app-(health|lifecycle)\//.test(pathname)) {
    answer(response, 501, 'probes of the application are not built yet in this version\n');
  } else answer(response, 404, 'not found\n');
};

/** A command, which only a POST from this host may give. */
function localPost(run: () => void): Handler {
  return (request, response) => {
    if (!isLocal(request)) answer(response, 403, 'only requests from this host are allowed\n');
    else if (request.method !== 'POST') answer(response, 405, 'method not allowed\n');
    else {
      answer(response, 200, 'OK');
      run();
    }
  };
}

function isLocal({ socket }: IncomingMessage): boolean {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return address === '::1' || address.startsWith('127.');
}

function answer(response: ServerResponse, status: number, body: string): void {
  if (response.headersSent) return;
  response.writeHead(status).end(body);
}
