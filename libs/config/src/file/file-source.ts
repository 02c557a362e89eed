import { readFileSync } from 'node:fs';
import { type Config, type ConfigKey, configKeyText, type Diagnostic } from '@kedge/model';
import type { AdmissionOptions } from '../admission.ts';
import type { ChangeListener, ConfigChange, ConfigSource, DiagnosticsListener } from '../config-source.ts';
import { Listeners } from '../listeners.ts';
import { FileObjects } from './file-objects.ts';
import { type FileBatch, FolderWatch, type FolderWatchOptions } from './folder-watch.ts';
import { type FileContent, isManifest, ManifestFile } from './manifest-file.ts';

export interface FileSourceOptions extends AdmissionOptions, Pick<FolderWatchOptions, 'settle' | 'rescan'> {
  /** The folder whose manifests are the configuration. */
  readonly folder: string;
}

/**
 * The manifests of a folder and of the folders in it: YAML files of one or more documents, or JSON. A change costs as
 * much as the file that changed. A file that cannot be read leaves its objects as they were; an object that is invalid is
 * left out, and its neighbours are not affected.
 */
export class FileSource implements ConfigSource {
  readonly #options: FileSourceOptions;
  readonly #files = new Map<string, ManifestFile>();
  readonly #objects = new FileObjects();
  readonly #changes = new Listeners<readonly ConfigChange[]>();
  readonly #diagnosed = new Listeners<readonly Diagnostic[]>();
  readonly #watch: FolderWatch;

  /** Reads the whole folder before it returns; throws where there is none. */
  constructor(options: FileSourceOptions) {
    this.#options = options;
    const { folder, settle, rescan } = options;
    this.#watch = new FolderWatch(folder, {
      isWanted: isManifest,
      onBatch: (batch) => this.#onBatch(batch),
      ...(settle !== undefined && { settle }),
      ...(rescan !== undefined && { rescan }),
    });
  }

  list(): readonly Config[] {
    return this.#objects.list();
  }

  get(key: ConfigKey): Config | undefined {
    return this.#objects.get(configKeyText(key));
  }

  subscribe(listener: ChangeListener): Disposable {
    return this.#changes.add(listener);
  }

  diagnostics(): readonly Diagnostic[] {
    return this.#objects.diagnostics();
  }

  onDiagnostics(listener: DiagnosticsListener): Disposable {
    return this.#diagnosed.add(listener);
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
    this.#changes.clear();
    this.#diagnosed.clear();
  }

  #onBatch({ changed, gone }: FileBatch): void {
    const contents = new Map<string, FileContent | undefined>(changed.map((path) => [path, this.#read(path)]));
    for (const path of gone) {
      this.#files.delete(path);
      contents.set(path, undefined);
    }
    const before = JSON.stringify(this.diagnostics());
    const changes = this.#objects.update(contents);
    const after = this.diagnostics();
    if (changes.length > 0) this.#changes.tell(changes);
    if (JSON.stringify(after) !== before) this.#diagnosed.tell(after);
  }

  #read(path: string): FileContent {
    let file = this.#files.get(path);
    if (!file) this.#files.set(path, (file = new ManifestFile(path, this.#options)));
    try {
      return file.update(readFileSync(path, 'utf8'));
    } catch (error) {
      return file.fail(error instanceof Error ? error.message : String(error));
    }
  }
}
