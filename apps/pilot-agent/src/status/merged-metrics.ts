import type { IncomingHttpHeaders } from 'node:http';
import type { Logger, MetricRegistry } from '@kedge/observability';
import { type EnvoyAdmin, prometheusStats } from '../envoy/admin.ts';
import { send } from '../http-client.ts';
import type { AgentMetrics } from '../metrics.ts';
import { acceptedByMerge, formatOf, isOpenMetrics, textFormat } from './content-types.ts';
import type { ScrapeTarget } from './scrape-targets.ts';

export interface MergedMetricsOptions {
  readonly registry: MetricRegistry;
  readonly metrics: AgentMetrics;
  /** Envoy's statistics are part of the metrics where this is given. */
  readonly envoy?: EnvoyAdmin;
  readonly application: readonly ScrapeTarget[];
  readonly log: Logger;
}

export interface MetricsAnswer {
  readonly contentType: string;
  readonly body: string;
}

const defaultTimeoutMs = 10_000;
const maxApplicationBytes = 10 * 1024 * 1024;
const endOfMetrics = /# EOF\s*$/;

/**
 * Metrics of agent, Envoy and application, one after the other, in the application's format. A part that fails is left out and
 * counted: better some metrics than none.
 */
export class MergedMetrics {
  readonly #options: MergedMetricsOptions;

  constructor(options: MergedMetricsOptions) {
    this.#options = options;
  }

  /** @param query is Envoy's, with its question mark. */
  async answer(headers: IncomingHttpHeaders, query: string): Promise<MetricsAnswer> {
    const { registry, metrics, envoy, application } = this.#options;
    metrics.istio_agent_scrapes_total.increment();
    const timeoutMs = timeoutOf(headers);
    const [fromEnvoy, ...fromApplication] = await Promise.all([
      envoy && this.#part('envoy', () => prometheusStats(envoy, query, timeoutMs)),
      ...application.map((target) => this.#part('application', () => scrape(target, headers, timeoutMs))),
    ]);
    const answered = fromApplication.filter((part) => part !== undefined);
    const formats = new Set(answered.map(({ contentType }) => formatOf(contentType)));
    const [first = textFormat] = formats;
    const contentType = formats.size > 1 ? textFormat : first;
    const own = (await this.#part('agent', () => registry.text())) ?? '';
    const texts = [own, fromEnvoy ?? '', ...answered.map(({ body }) => body.replace(endOfMetrics, ''))];
    const body = texts.map((text) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)).join('');
    // OpenMetrics has no empty lines, and an end.
    return { contentType, body: isOpenMetrics(contentType) ? `${body.replace(/\n{2,}/g, '\n')}# EOF\n` : body };
  }

  async #part<T>(type: 'agent' | 'application' | 'envoy', get: () => Promise<T>): Promise<T | undefined> {
    try {
      return await get();
    } catch (error) {
      this.#options.log.error(`metrics are missing: ${type}`, { error });
      this.#options.metrics.istio_agent_scrape_failures_total.increment({ type });
      return undefined;
    }
  }
}

/** What the client of the merged metrics waits for at most. */
function timeoutOf(headers: IncomingHttpHeaders): number {
  const seconds = Number(headers['x-prometheus-scrape-timeout-seconds']);
  return seconds > 0 ? Math.min(Math.ceil(seconds * 1000), 0x7fffffff) : defaultTimeoutMs;
}

async function scrape({ port, path }: ScrapeTarget, headers: IncomingHttpHeaders, timeoutMs: number) {
  const passedOn = ['user-agent', 'x-prometheus-scrape-timeout-seconds'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const response = await send({
    method: 'GET',
    host: 'localhost',
    port,
    path: path.startsWith('/') ? path : `/${path}`,
    timeoutMs,
    maxBytes: maxApplicationBytes,
    headers: { ...Object.fromEntries(passedOn), accept: acceptedByMerge(headers.accept ?? '') },
  });
  if (response.status !== 200) throw new Error(`the application's answer at ${port}${path} is ${response.status}`);
  return { contentType: response.contentType, body: response.body };
}
