import type { ConfigSource } from '@kedge/config';
import { DisposableStore } from '@kedge/incremental';
import { type Diagnostic, formatDiagnostic } from '@kedge/model';
import { generationDiagnostics } from '@kedge/networking';
import type { ControlPlane, MeshEvent } from './control-plane.ts';
import type { MeshClient } from './xds/mesh-client.ts';

/** How long to wait after a push before findings of generation are looked for, in milliseconds: not in its way. */
const AFTER_PUSH_MS = 500;
/** Then it is done in slices of at least one proxy, so that it holds up nobody who is pushed to or connects meanwhile. */
const SLICE_MS = 5;
const BETWEEN_SLICES_MS = 25;

/** What reads objects or settings, and knows what was wrong with them. */
export type FindingSource = Pick<ConfigSource, 'diagnostics' | 'onDiagnostics'>;

/** A finding of generation names a proxy whose resources are concerned. */
export interface Finding extends Diagnostic {
  readonly proxy?: string;
}

export interface FindingsOptions {
  readonly sources: readonly FindingSource[];
  readonly plane: ControlPlane;
  /** Gets each finding when it appears. */
  readonly report: (finding: Diagnostic) => void;
}

/** What is wrong with the present state: found when objects and files were read, or when a proxy's resources were made. */
export class Findings implements Disposable {
  readonly #options: FindingsOptions;
  readonly #owned = new DisposableStore();
  /** Findings of reading that were reported and still hold. */
  #ofReading: ReadonlySet<string> = new Set();
  /** Findings of generation that were reported and still hold, by client. */
  readonly #ofGeneration = new Map<MeshClient, ReadonlySet<string>>();
  readonly #served = new Set<MeshClient>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FindingsOptions) {
    this.#options = options;
    for (const source of options.sources) this.#owned.add(source.onDiagnostics(() => this.#read()));
    this.#owned.add(options.plane.observe((event) => this.#observe(event)));
    this.#read();
  }

  /** All that hold now, each once. */
  list(): readonly Finding[] {
    const { server } = this.#options.plane;
    const generated = server.clients().flatMap(({ client: { proxy } }): readonly Finding[] => {
      const found = server.snapshot.evaluate(proxy, generationDiagnostics);
      return found.map((finding) => ({ ...finding, proxy: proxy.id }));
    });
    // Of what several proxies meet with, the first is named.
    return [...byText([...this.#diagnostics(), ...generated].reverse()).values()].reverse();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#owned[Symbol.dispose]();
  }

  #diagnostics(): readonly Diagnostic[] {
    return this.#options.sources.flatMap((source) => source.diagnostics());
  }

  #observe(event: MeshEvent): void {
    if (event.kind === 'sent') {
      this.#served.add(event.connection.client);
      this.#timer ??= setTimeout(() => this.#generated(), AFTER_PUSH_MS);
    } else if (event.kind === 'closed') {
      this.#served.delete(event.connection.client);
      this.#ofGeneration.delete(event.connection.client);
    }
  }

  #read(): void {
    const found = byText(this.#diagnostics());
    for (const [text, finding] of found) if (!this.#ofReading.has(text)) this.#options.report(finding);
    this.#ofReading = new Set(found.keys());
  }

  /** @param reported what holds of those that were looked at, or was reported since. */
  #generated(reported = new Set(this.#ofGeneration.values().flatMap((texts) => texts))): void {
    const { plane, report } = this.#options;
    const end = performance.now() + SLICE_MS;
    for (const client of this.#served) {
      this.#served.delete(client);
      const found = byText(plane.server.snapshot.evaluate(client.proxy, generationDiagnostics));
      for (const [text, finding] of found) {
        if (!reported.has(text)) report(finding);
        reported.add(text);
      }
      if (found.size > 0) this.#ofGeneration.set(client, new Set(found.keys()));
      else this.#ofGeneration.delete(client);
      if (performance.now() > end) break;
    }
    this.#timer = this.#served.size > 0 ? setTimeout(() => this.#generated(reported), BETWEEN_SLICES_MS) : undefined;
  }
}

const byText = <F extends Diagnostic>(findings: readonly F[]): ReadonlyMap<string, F> =>
  new Map(findings.map((finding) => [formatDiagnostic(finding), finding]));
