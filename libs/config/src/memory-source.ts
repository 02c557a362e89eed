import { type Config, type ConfigKey, configKeyText, type Diagnostic } from '@kedge/model';
import { type AdmissionOptions, hasErrors, isOfRevision, validateByRules } from './admission.ts';
import type { ChangeListener, ConfigChange, ConfigSource, DiagnosticsListener } from './config-source.ts';
import { Listeners } from './listeners.ts';

/** Objects that are put and deleted by calls: for tests, and for objects that the control plane makes itself. */
export class MemorySource implements ConfigSource {
  readonly #options: AdmissionOptions;
  readonly #objects = new Map<string, Config>();
  readonly #diagnostics = new Map<string, readonly Diagnostic[]>();
  readonly #changes = new Listeners<readonly ConfigChange[]>();
  readonly #diagnosed = new Listeners<readonly Diagnostic[]>();

  constructor(objects: readonly Config[] = [], options: AdmissionOptions = {}) {
    this.#options = options;
    this.put(...objects);
  }

  list(): readonly Config[] {
    return [...this.#objects.values()];
  }

  get(key: ConfigKey): Config | undefined {
    return this.#objects.get(configKeyText(key));
  }

  /** Makes or replaces objects, as one batch. Invalid ones are kept out, and what they replace goes away. */
  put(...objects: readonly Config[]): void {
    this.#apply(objects.map((object) => ({ key: keyOf(object), object })));
  }

  /** Deletes objects, as one batch. */
  delete(...keys: readonly ConfigKey[]): void {
    this.#apply(keys.map((key) => ({ key, object: undefined })));
  }

  subscribe(listener: ChangeListener): Disposable {
    return this.#changes.add(listener);
  }

  diagnostics(): readonly Diagnostic[] {
    return [...this.#diagnostics.values()].flat();
  }

  onDiagnostics(listener: DiagnosticsListener): Disposable {
    return this.#diagnosed.add(listener);
  }

  [Symbol.dispose](): void {
    this.#changes.clear();
    this.#diagnosed.clear();
  }

  #apply(wanted: readonly { readonly key: ConfigKey; readonly object: Config | undefined }[]): void {
    const changes: ConfigChange[] = [];
    let diagnosed = false;
    for (const { key, object } of wanted) {
      const text = configKeyText(key);
      const diagnostics = object ? (this.#options.validate ?? validateByRules)(object) : [];
      diagnosed ||= diagnostics.length > 0 || this.#diagnostics.has(text);
      if (diagnostics.length > 0) this.#diagnostics.set(text, diagnostics);
      else this.#diagnostics.delete(text);
      const accepted = object && isOfRevision(object, this.#options.revision) && !hasErrors(diagnostics);
      const old = this.#objects.get(text);
      if (accepted) this.#objects.set(text, object);
      else this.#objects.delete(text);
      if (old || accepted) changes.push({ key, old, new: accepted ? object : undefined });
    }
    if (changes.length > 0) this.#changes.tell(changes);
    if (diagnosed) this.#diagnosed.tell(this.diagnostics());
  }
}

export const keyOf = ({ kind, namespace, name }: Config): ConfigKey => ({ kind, namespace, name });
