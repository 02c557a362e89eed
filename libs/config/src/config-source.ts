import type { Config, ConfigKey, Diagnostic } from '@kedge/model';

/** What happened to one object. It was made where `old` is absent, and deleted where `new` is. */
export interface ConfigChange {
  readonly key: ConfigKey;
  readonly old?: Config;
  readonly new?: Config;
}

/** Gets changes in batches, in the order in which they took effect; within a batch each key stands once. */
export type ChangeListener = (changes: readonly ConfigChange[]) => void;

/** Gets all diagnostics that hold now, each time they become others. */
export type DiagnosticsListener = (diagnostics: readonly Diagnostic[]) => void;

/**
 * Objects from somewhere: a folder, an API server, memory. What is listed is valid; what is not is left out and named in
 * the diagnostics. Listeners hear of everything that happens after they subscribed.
 */
export interface ConfigSource extends Disposable {
  list(): readonly Config[];
  get(key: ConfigKey): Config | undefined;
  subscribe(listener: ChangeListener): Disposable;
  diagnostics(): readonly Diagnostic[];
  onDiagnostics(listener: DiagnosticsListener): Disposable;
}
