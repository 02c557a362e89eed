import { DisposableStore } from '@kedge/incremental';
import { type Config, type ConfigKey, configKeyText, type Diagnostic } from '@kedge/model';
import type { ChangeListener, ConfigChange, ConfigSource, DiagnosticsListener } from './config-source.ts';
import { Listeners } from './listeners.ts';
import { keyOf } from './memory-source.ts';

/** Several sources as one. Where two have an object of the same key, the earlier source's counts. Owns its sources. */
export class AggregateSource implements ConfigSource {
  readonly #sources: readonly ConfigSource[];
  readonly #owned = new DisposableStore();
  readonly #changes = new Listeners<readonly ConfigChange[]>();
  readonly #diagnosed = new Listeners<readonly Diagnostic[]>();

  constructor(sources: readonly ConfigSource[]) {
    this.#sources = sources;
    sources.forEach((source, place) => {
      this.#owned.add(source);
      this.#owned.add(source.subscribe((changes) => this.#forward(changes, place)));
      this.#owned.add(source.onDiagnostics(() => this.#diagnosed.tell(this.diagnostics())));
    });
  }

  list(): readonly Config[] {
    const objects = new Map<string, Config>();
    for (const source of this.#sources.toReversed()) {
      for (const object of source.list()) objects.set(configKeyText(keyOf(object)), object);
    }
    return [...objects.values()];
  }

  get(key: ConfigKey): Config | undefined {
    return firstOf(this.#sources, key);
  }

  subscribe(listener: ChangeListener): Disposable {
    return this.#changes.add(listener);
  }

  diagnostics(): readonly Diagnostic[] {
    return this.#sources.flatMap((source) => source.diagnostics());
  }

  onDiagnostics(listener: DiagnosticsListener): Disposable {
    return this.#diagnosed.add(listener);
  }

  [Symbol.dispose](): void {
    this.#changes.clear();
    this.#diagnosed.clear();
    this.#owned[Symbol.dispose]();
  }

  /** An object that an earlier source has hides the change; one that a later source has takes the place of nothing. */
  #forward(changes: readonly ConfigChange[], place: number): void {
    const before = this.#sources.slice(0, place);
    const after = this.#sources.slice(place + 1);
    const visible = changes
      .filter(({ key }) => firstOf(before, key) === undefined)
      .map((change) => {
        if (change.old && change.new) return change;
        const hidden = firstOf(after, change.key);
        return { key: change.key, old: change.old ?? hidden, new: change.new ?? hidden };
      });
    if (visible.length > 0) this.#changes.tell(visible);
  }
}

function firstOf(sources: readonly ConfigSource[], key: ConfigKey): Config | undefined {
  for (const source of sources) {
    const found = source.get(key);
    if (found) return found;
  }
  return undefined;
}
