import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ConfigPlan, type JsonObject, planConfig, printConfig } from '@kedge/cni';
import { removeUnfinished, writeAtomically } from './files.ts';

export interface NetworkConfigOptions {
  /** The folder that the container runtime reads. */
  readonly folder: string;
  readonly chained: boolean;
  /** The file of the primary configuration; the first valid one if empty. */
  readonly confName: string;
  /** A file of our own, if the primary one shall stay as it is. */
  readonly ownFile?: string;
  /** The permissions of files that weren't there. */
  readonly mode: number;
}

export type ConfigState =
  | { readonly kind: 'installed'; readonly file: string; readonly written: boolean; readonly warning?: string }
  /** The configuration of the network's own plugin isn't there yet, or can't be used. */
  | { readonly kind: 'waiting'; readonly problem: string };

type Files = ReadonlyMap<string, string>;

/** Brings the plugin's entry into the configuration; what is so already is left alone. */
export async function installConfig(entry: JsonObject, options: NetworkConfigOptions): Promise<ConfigState> {
  const { folder, ownFile, mode } = options;
  await removeUnfinished(folder);
  const files = await readConfigs(folder);
  const plan = planFor(files, entry, options);
  if (plan.kind !== 'write') return { kind: 'waiting', problem: plan.problem };
  const { file, content, replaces } = plan;
  const warning = ownFile && precededBy(files, file);
  const current = files.get(file);
  const isThere = ownFile === undefined && options.chained ? hasEntry(current, entry) : current === content;
  if (isThere && replaces === undefined) return { kind: 'installed', file, written: false, warning };
  await writeAtomically(join(folder, file), content, (await modeOf(join(folder, replaces ?? file))) ?? mode);
  if (replaces !== undefined) await rm(join(folder, replaces));
  return { kind: 'installed', file, written: true, warning };
}

/** Takes the plugin out of every configuration, and removes those of our own. */
export async function removeConfig(entry: JsonObject, { folder, ownFile }: NetworkConfigOptions): Promise<void> {
  for (const [file, text] of await readConfigs(folder)) {
    const path = join(folder, file);
    const config = parse(text);
    if (file === ownFile || config?.type === entry.type) {
      await rm(path, { force: true });
    } else if (config && pluginsOf(config).some((plugin) => isSameType(plugin, entry))) {
      const plugins = pluginsOf(config).filter((plugin) => !isSameType(plugin, entry));
      await writeAtomically(path, printConfig({ ...config, plugins }), (await modeOf(path)) ?? 0o600);
    }
  }
  await removeUnfinished(folder);
}

function planFor(files: Files, entry: JsonObject, { chained, confName, ownFile }: NetworkConfigOptions): ConfigPlan {
  if (ownFile === undefined || !chained) return planConfig(files, entry, { chained, confName });
  const others = new Map([...files].filter(([file]) => file !== ownFile));
  const inPrimary = planConfig(others, entry, { chained, confName });
  if (inPrimary.kind !== 'write') return inPrimary;
  return planConfig(others, entry, { chained, confName: inPrimary.replaces ?? inPrimary.file, ownFile });
}

/** Runtimes use the first file: ours must be that. */
function precededBy(files: Files, ownFile: string): string | undefined {
  const first = [...files.keys()].sort().find((file) => file < ownFile && parse(files.get(file)!) !== undefined);
  return first && `${first} comes before ${ownFile}, which therefore has no effect`;
}

async function readConfigs(folder: string): Promise<Files> {
  const names = (await readdir(folder)).filter((name) => /\.conf(list)?$/.test(name));
  // A file may be gone since.
  const read = (name: string) => readFile(join(folder, name), 'utf8').catch(() => undefined);
  const contents = await Promise.all(names.map(async (name) => [name, await read(name)] as const));
  return new Map(contents.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}

/** Whether the plugin is there as it should be; others may have come after it. */
function hasEntry(text: string | undefined, { cniVersion: _, ...entry }: JsonObject): boolean {
  const config = text === undefined ? undefined : parse(text);
  const found = config ? pluginsOf(config).filter((plugin) => isSameType(plugin, entry)) : [];
  return found.length === 1 && isDeepStrictEqual(found[0], entry);
}

/** Whatever others have there: it need not be objects. */
function pluginsOf({ plugins }: JsonObject): readonly unknown[] {
  return Array.isArray(plugins) ? plugins : [];
}

function isSameType(plugin: unknown, { type }: JsonObject): boolean {
  return (plugin as JsonObject | null)?.type === type;
}

function parse(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonObject | null;
    return value ?? undefined;
  } catch {
    return undefined;
  }
}

function modeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  );
}
