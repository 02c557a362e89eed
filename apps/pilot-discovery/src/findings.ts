import type { ConfigSource } from '@kedge/config';
import { DisposableStore, type Watch } from '@kedge/incremental';
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

/** A client whose resources are looked at whenever something changes that they rest on. */
interface Followed {
  readonly watch: Watch;
  /** What was found last. */
  found: readonly Diagnostic[];
  /** Of these, as they were reported, what still holds. */
  texts: ReadonlySet<string>;
}

const NOTHING: Pick<Followed, 'found' | 'texts'> = { found: [], texts: new Set() };

/** What is wrong with the present state: found when objects and files were read, or when a proxy's resources were made. */
export class Findings implements Disposable {
  readonly #options: FindingsOptions;
  readonly #owned = new DisposableStore();
  /** Findings of reading that were reported and still hold. */
  #ofReading: ReadonlySet<string> = new Set();
  /** Clients that were served something. */
  readonly #followed = new Map<MeshClient, Followed>();
  /** Those whose findings may have changed. */
  readonly #due = new Set<MeshClient>();
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
    for (const client of this.#followed.keys()) this.#unfollow(client);
  }

  #diagnostics(): readonly Diagnostic[] {
    return this.#options.sources.flatMap((source) => source.diagnostics());
  }

  #observe(event: MeshEvent): void {
    if (event.kind === 'sent') this.#follow(event.connection.client);
    else if (event.kind === 'closed') this.#unfollow(event.connection.client);
  }

  #follow(client: MeshClient): void {
    if (this.#followed.has(client)) return;
    const { snapshot } = this.#options.plane.server;
    const watch = snapshot.watch(client.proxy, generationDiagnostics, [], () => this.#changed(client));
    this.#followed.set(client, { watch, ...NOTHING });
    this.#changed(client);
  }

  #unfollow(client: MeshClient): void {
    this.#followed.get(client)?.watch[Symbol.dispose]();
    this.#followed.delete(client);
    this.#due.delete(client);
  }

  #changed(client: MeshClient): void {
    this.#due.add(client);
    this.#timer ??= setTimeout(() => this.#generated(), AFTER_PUSH_MS);
  }

  #read(): void {
    const found = byText(this.#diagnostics());
    for (const [text, finding] of found) if (!this.#ofReading.has(text)) this.#options.report(finding);
    this.#ofReading = new Set(found.keys());
  }

  /** @param reported what holds of those that were looked at, or was reported since. */
  #generated(reported = new Set(this.#followed.values().flatMap(({ texts }) => texts))): void {
    const end = performance.now() + SLICE_MS;
    for (const client of this.#due) {
      this.#due.delete(client);
      const followed = this.#followed.get(client);
      if (followed) this.#look(followed, reported);
      if (performance.now() > end) break;
    }
    this.#timer = this.#due.size > 0 ? setTimeout(() => this.#generated(reported), BETWEEN_SLICES_MS) : undefined;
  }

  #look(followed: Followed, reported: Set<string>): void {
    const found = followed.watch.read() as readonly Diagnostic[];
    if (found === followed.found) return;
    const texts = byText(found);
    for (const [text, finding] of texts) {
      if (!reported.has(text)) this.#options.report(finding);
      reported.add(text);
    }
    followed.found = found;
    followed.texts = new Set(texts.keys());
  }
}

const byText = <F extends Diagnostic>(findings: readonly F[]): ReadonlyMap<string, F> =>
  new Map(findings.map((finding) => [formatDiagnostic(finding), finding]));
