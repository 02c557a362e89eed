import type { Config, Diagnostic } from '@kedge/model';
import type { AdmissionOptions } from '../admission.ts';
import { FileObjects } from './file-objects.ts';
import { FolderWatch } from './folder-watch.ts';
import { isManifest, ManifestFile } from './manifest-file.ts';

/** A text with the name under which messages speak of it. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

export interface ReadManifests {
  readonly objects: readonly Config[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The objects of texts, and what is wrong with them: the same as of a `FileSource` whose folder holds these files. */
export function readManifests(files: readonly NamedText[], options: AdmissionOptions = {}): ReadManifests {
  const all = new FileObjects();
  all.update(new Map(files.map(({ name, text }) => [name, new ManifestFile(name, options).update(text)])));
  return { objects: all.list(), diagnostics: all.diagnostics() };
}

/** The paths of the manifests that a `FileSource` of this folder would read, sorted. Throws where there is no folder. */
export function listManifests(folder: string): readonly string[] {
  let found: readonly string[] = [];
  new FolderWatch(folder, { isWanted: isManifest, onBatch: ({ changed }) => (found = changed) })[Symbol.dispose]();
  return [...found].sort();
}
