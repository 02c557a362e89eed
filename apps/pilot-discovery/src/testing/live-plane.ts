import { MemorySource } from '@kedge/config';
import type { Config, Diagnostic } from '@kedge/model';
import { createMetricRegistry, type HttpResponse, type MetricRegistry } from '@kedge/observability';
import type { MeshSettings } from '@kedge/pushcontext';
import { ControlPlane, type MeshEvent } from '../control-plane.ts';
import { type DebugRoutes, debugRoutes } from '../debug/debug-endpoints.ts';
import { registerDebugGenerators } from '../debug/debug-generators.ts';
import { Findings } from '../findings.ts';
import type { KeySets } from '../key-sets/key-sets.ts';
import { registerMetrics } from '../metrics.ts';
import { type MeshGenerators, meshGenerators } from '../xds/mesh-generators.ts';
import { observeMetrics, recordRefusals } from '../xds/observe-metrics.ts';
import type { RefusalEvent } from '../xds/refusals.ts';
import { PushHistory } from '../xds/push-history.ts';

export interface LivePlaneOptions {
  readonly settings: MeshSettings;
  readonly objects: readonly Config[];
  readonly generators?: MeshGenerators;
  /** A free one where absent. */
  readonly port?: number;
  /** Fetches keys for the objects; disposed of with the plane. */
  readonly keySets?: (source: MemorySource) => KeySets | Promise<KeySets>;
}

/** A control plane that serves xDS on loopback, with objects that tests put and delete. */
export class LivePlane implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly source: MemorySource;
  readonly port: number;
  /** Findings that were reported so far. */
  readonly reported: readonly Diagnostic[];
  readonly #events: MeshEvent[];
  readonly #refusals: RefusalEvent[];
  readonly #findings: Findings;
  readonly #routes: DebugRoutes;
  readonly #registry: MetricRegistry;
  readonly #keySets: KeySets | undefined;

  private constructor(parts: {
    readonly plane: ControlPlane;
    readonly source: MemorySource;
    readonly port: number;
    readonly events: MeshEvent[];
    readonly refusals: RefusalEvent[];
    readonly routes: DebugRoutes;
    readonly findings: Findings;
    readonly reported: readonly Diagnostic[];
    readonly registry: MetricRegistry;
    readonly keySets: KeySets | undefined;
  }) {
    this.plane = parts.plane;
    this.source = parts.source;
    this.port = parts.port;
    this.#events = parts.events;
    this.#refusals = parts.refusals;
    this.#routes = parts.routes;
    this.#findings = parts.findings;
    this.reported = parts.reported;
    this.#registry = parts.registry;
    this.#keySets = parts.keySets;
  }

  static async start({
    settings,
    objects,
    generators = meshGenerators(),
    port = 0,
    keySets: keySetsOf,
  }: LivePlaneOptions): Promise<LivePlane> {
    const source = new MemorySource(objects);
    const events: MeshEvent[] = [];
    const registry = createMetricRegistry();
    const keySets = await keySetsOf?.(source);
    const plane = new ControlPlane({ settings, source, generators, keySets });
    const history = new PushHistory(() => plane.server.snapshot.memo.recomputations.take());
    plane.observe((event) => void events.push(event));
    const refusals: RefusalEvent[] = [];
    plane.observeRefusals((event) => void refusals.push(event));
    plane.observe((event) => history.observe(event));
    const metrics = registerMetrics(registry);
    plane.observe(observeMetrics(metrics));
    registry.onScrape(() => recordRefusals(metrics, plane.refusals));
    const reported: Diagnostic[] = [];
    const findings = new Findings({ sources: [source], plane, report: (finding) => void reported.push(finding) });
    const routes = debugRoutes({ plane, history, findings });
    registerDebugGenerators(generators, plane, routes);
    const listener = await plane.grpc.listen({ host: '127.0.0.1', port });
    return new LivePlane({
      plane,
      source,
      port: listener.port,
      events,
      refusals,
      routes,
      findings,
      reported,
      registry,
      keySets,
    });
  }

  /** All that happened so far, of one kind. */
  events<K extends MeshEvent['kind']>(kind: K): readonly Extract<MeshEvent, { readonly kind: K }>[] {
    return this.#events.filter((event): event is Extract<MeshEvent, { readonly kind: K }> => event.kind === kind);
  }

  /** What happened to resources that were refused, by name. */
  refusals(): readonly (readonly [kind: string, name: string])[] {
    return this.#refusals.map(({ kind, suspect }) => [kind, suspect.name]);
  }

  /** The answer of a debug endpoint, such as `/debug/syncz`, to a caller on loopback. */
  async debug(path: string, peer = '127.0.0.1'): Promise<HttpResponse> {
    const url = new URL(path, 'http://localhost');
    const handler = this.#routes.get(url.pathname);
    if (!handler) throw new Error(`there is no ${url.pathname}`);
    return handler({ method: 'GET', path: url.pathname, query: url.searchParams, peer });
  }

  /** The same as JSON. */
  async debugJson(path: string): Promise<unknown> {
    return JSON.parse((await this.debug(path)).body);
  }

  /** What `/metrics` says. */
  metrics(): Promise<string> {
    return this.#registry.text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#findings[Symbol.dispose]();
    await this.plane[Symbol.asyncDispose]();
    this.#keySets?.[Symbol.dispose]();
    this.source[Symbol.dispose]();
  }
}
