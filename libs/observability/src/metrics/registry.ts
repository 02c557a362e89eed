import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** A metric, described. Names, labels and units are those of Istio's metrics. */
export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'distribution';
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper bounds of a distribution's buckets. */
  readonly buckets?: readonly number[];
}

/** Metrics by name. */
export type MetricTable = Readonly<Record<string, MetricDefinition>>;

/** The labels of a metric as the last argument, or none. */
type LabelArguments<D extends MetricDefinition> = D['labels'] extends readonly (infer Name extends string)[]
  ? [labels: Readonly<Record<Name, string>>]
  : [];

export interface CounterMetric<D extends MetricDefinition> {
  increment(...labels: LabelArguments<D>): void;
  add(amount: number, ...labels: LabelArguments<D>): void;
}

export interface GaugeMetric<D extends MetricDefinition> {
  set(value: number, ...labels: LabelArguments<D>): void;
  /** Forgets the value for these labels. */
  remove(...labels: LabelArguments<D>): void;
}

export interface DistributionMetric<D extends MetricDefinition> {
  observe(value: number, ...labels: LabelArguments<D>): void;
}

interface MetricOfKind<D extends MetricDefinition> {
  readonly counter: CounterMetric<D>;
  readonly gauge: GaugeMetric<D>;
  readonly distribution: DistributionMetric<D>;
}

/** What can be done with the metrics of a table. */
export type Metrics<T extends MetricTable> = { readonly [Name in keyof T]: MetricOfKind<T[Name]>[T[Name]['kind']] };

/** The metrics of one process. There is no global one: whoever measures is given its metrics. */
export interface MetricRegistry {
  /** Adds the metrics of a table. A name can be added once only. */
  register<const T extends MetricTable>(table: T): Metrics<T>;
  /** Has `update` called before each scrape, for gauges that are computed; dispose of the result to end that. */
  onScrape(update: () => void): Disposable;
  /** Adds what Prometheus clients commonly tell of their process: CPU, memory, event loop, garbage collection. */
  addProcessMetrics(): void;
  /** The Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/**
 * How often the lag of the event loop is sampled, in milliseconds. The library's default of 10 has an idle process woken a
 * hundred times a second, which costs a third of a percent of a core.
 */
const LAG_SAMPLING_MS = 100;

export function createMetricRegistry(): MetricRegistry {
  const registry = new Registry();
  const updates = new Set<() => void>();
  return {
    register: <const T extends MetricTable>(table: T) =>
      Object.fromEntries(
        Object.entries(table).map(([name, definition]) => [name, create(registry, name, definition)]),
      ) as unknown as Metrics<T>,
    onScrape: (update) => {
      updates.add(update);
      return { [Symbol.dispose]: () => void updates.delete(update) };
    },
    addProcessMetrics: () =>
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLING_MS }),
    text: () => {
      for (const update of updates) update();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

type Labels = Readonly<Record<string, string>>;

function create(registry: Registry, name: string, { kind, help, labels = [], buckets }: MetricDefinition) {
  const configuration = { name, help, labelNames: labels, registers: [registry] };
  switch (kind) {
    case 'counter': {
      const counter = new Counter(configuration);
      const add = (amount: number, values: Labels = {}) => counter.inc(values, amount);
      return { add, increment: (values?: Labels) => add(1, values) };
    }
    case 'gauge': {
      const gauge = new Gauge(configuration);
      return {
        set: (value: number, values: Labels = {}) => gauge.set(values, value),
        remove: (values: Labels = {}) => gauge.remove(values),
      };
    }
    case 'distribution': {
      const histogram = new Histogram({ ...configuration, ...(buckets && { buckets: [...buckets] }) });
      return { observe: (value: number, values: Labels = {}) => histogram.observe(values, value) };
    }
  }
}
