import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ParsedFile, WatchedFile } from '@kedge/config';
import { DisposableStore } from '@kedge/incremental';
import {
  defaultMeshConfig,
  type Diagnostic,
  parseMeshConfig,
  parseMeshNetworks,
  type TriggerReason,
} from '@kedge/model';
import type { MeshSettings } from '@kedge/pushcontext';
import type { FindingSource } from './findings.ts';

type FileSettings = Pick<MeshSettings, 'mesh' | 'networks'>;

const NO_NETWORKS: FileSettings['networks'] = { networks: {} };

/** The mesh configuration and the networks, followed as their files change. */
export class MeshFiles implements FindingSource, Disposable {
  readonly #owned = new DisposableStore();
  readonly #mesh: WatchedFile<FileSettings['mesh']> | undefined;
  readonly #networks: WatchedFile<FileSettings['networks']> | undefined;

  constructor(meshConfig: string, networksConfig: string) {
    this.#mesh = this.#watch(meshConfig, parseMesh, defaultMeshConfig);
    this.#networks = this.#watch(networksConfig, parseNetworks, NO_NETWORKS);
  }

  /** The last good state of each file, or the defaults. */
  get settings(): FileSettings {
    return { mesh: this.#mesh?.value ?? defaultMeshConfig, networks: this.#networks?.value ?? NO_NETWORKS };
  }

  /** Tells each new state of a file. */
  subscribe(listener: (settings: Partial<FileSettings>, reason: TriggerReason) => void): Disposable {
    const subscriptions = new DisposableStore();
    if (this.#mesh) subscriptions.add(this.#mesh.subscribe(({ value }) => listener({ mesh: value }, 'global')));
    if (this.#networks) {
      subscriptions.add(this.#networks.subscribe(({ value }) => listener({ networks: value }, 'networks')));
    }
    return subscriptions;
  }

  diagnostics(): readonly Diagnostic[] {
    return [...findingsOf(this.#mesh, defaultMeshConfig), ...findingsOf(this.#networks, NO_NETWORKS)];
  }

  onDiagnostics(listener: (diagnostics: readonly Diagnostic[]) => void): Disposable {
    return this.subscribe(() => listener(this.diagnostics()));
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }

  /** A folder that isn't there can't be watched; then the defaults hold, as where nobody made the files of the default paths. */
  #watch<T>(
    path: string,
    parse: (text: string, file: string) => ParsedFile<T>,
    initial: T,
  ): WatchedFile<T> | undefined {
    return existsSync(dirname(path)) ? this.#owned.add(new WatchedFile(path, parse, initial)) : undefined;
  }
}

/** A file that never was there is no error: the defaults hold. */
function findingsOf<T>(file: WatchedFile<T> | undefined, initial: T): readonly Diagnostic[] {
  const { value, diagnostics = [] } = file ?? {};
  return diagnostics.filter(({ file: path = '' }) => value !== initial || existsSync(path));
}

function parseMesh(text: string, file: string): ParsedFile<FileSettings['mesh']> {
  const { mesh, diagnostics } = parseMeshConfig(text, file);
  return { value: mesh, diagnostics };
}

function parseNetworks(text: string, file: string): ParsedFile<FileSettings['networks']> {
  const { networks, diagnostics } = parseMeshNetworks(text, file);
  return { value: networks, diagnostics };
}
