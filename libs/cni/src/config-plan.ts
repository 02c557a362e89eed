import { insertPlugin, type JsonObject, parseObject, printConfig } from './network-config.ts';

export interface InstallOptions {
  /** Into the chain of another plugin's configuration; otherwise a configuration of our own. */
  readonly chained: boolean;
  /** The file of the primary configuration; chosen if empty. */
  readonly confName: string;
  /** A file of our own that copies the primary configuration, which then stays as it is. */
  readonly ownFile?: string;
}

/** What to do with the files of the CNI configuration directory. */
export type ConfigPlan =
  /** `replaces` is the file that the new one stands for, to be removed. */
  | { readonly kind: 'write'; readonly file: string; readonly content: string; readonly replaces?: string }
  /** The primary configuration isn't there yet. */
  | { readonly kind: 'wait'; readonly problem: string }
  | { readonly kind: 'invalid'; readonly problem: string };

/**
 * Plans how our plugin gets into the configuration.
 *
 * @param files the directory: contents by file names
 */
export function planConfig(
  files: ReadonlyMap<string, string>,
  plugin: JsonObject,
  { chained, confName, ownFile }: InstallOptions,
): ConfigPlan {
  if (!chained) {
    return {
      kind: 'write',
      file: confName || 'YYY-istio-cni.conf',
      content: `${JSON.stringify(plugin, undefined, 2)}\n`,
    };
  }
  if (ownFile !== undefined && confName === '') {
    return { kind: 'invalid', problem: 'an own CNI config needs the name of the primary one' };
  }
  const primary = confName === '' ? firstValid(files) : existing(files, confName);
  if (primary === undefined) {
    return { kind: 'wait', problem: `there is no CNI config ${confName || 'file'} yet` };
  }
  const inserted = insertPlugin(files.get(primary)!, plugin);
  if (!inserted.ok) return { kind: 'invalid', problem: `${primary}: ${inserted.problem}` };
  const content = printConfig(inserted.config);
  if (ownFile !== undefined) return { kind: 'write', file: asList(ownFile), content };
  const file = asList(primary);
  return { kind: 'write', file, content, ...(file !== primary && { replaces: primary }) };
}

/** The name with the ending of lists of plugins, which runtimes read only from files that have it. */
export function asList(file: string): string {
  return file.endsWith('.conf') ? `${file}list` : file;
}

/** The file, or the same name with the other ending: a `.conf` may have become a `.conflist` and the other way round. */
function existing(files: ReadonlyMap<string, string>, name: string): string | undefined {
  const other = name.endsWith('.conf') ? `${name}list` : name.replace(/\.conflist$/, '.conf');
  return [name, other].find((file) => files.has(file));
}

/** The configuration that a runtime uses: the first of those that name a plugin. */
function firstValid(files: ReadonlyMap<string, string>): string | undefined {
  return [...files.keys()].sort().find((file) => {
    if (!/\.conf(list)?$/.test(file)) return false;
    const config = parseObject(files.get(file)!);
    if (file.endsWith('.conf')) return typeof config?.type === 'string' && config.type !== '';
    return Array.isArray(config?.plugins) && config.plugins.length > 0;
  });
}
