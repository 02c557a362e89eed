import { type Chart, loadChart } from '@kedge/helm';
import { builtinProfile, InstallError, type ProfileSource } from '@kedge/install';
import { isJsonObject, type JsonObject, readYaml } from '@kedge/model';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { Io } from '../io.ts';

/** Charts and profiles in folders. */
export interface ChartPackage {
  /** The folder of the charts. */
  readonly folder: string;
  readonly charts: (name: string) => Chart | undefined;
  readonly profiles: ProfileSource;
}

/** The charts beside the binary, or in a source tree; else those of a folder that has `charts`, and `profiles` if it likes. */
export function openCharts(io: Io, path = ''): ChartPackage {
  const folder = path === '' ? bundledCharts() : resolve(io.directory, path, 'charts');
  if (folder === undefined || !existsSync(folder))
    throw new InstallError(`there are no charts at ${folder ?? import.meta.dirname}`);
  const profiles = path === '' ? undefined : resolve(io.directory, path, 'profiles');
  return {
    folder,
    charts: (name) => (existsSync(join(folder, name)) ? loadChart(filesOf(join(folder, name))) : undefined),
    profiles: profiles !== undefined && existsSync(profiles) ? (name) => readProfile(profiles, name) : builtinProfile,
  };
}

const bundledCharts = (): string | undefined =>
  ['charts', '../../../../charts'].map((path) => join(import.meta.dirname, path)).find((path) => existsSync(path));

function filesOf(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    paths
      .map((path) => [relative(folder, path).replaceAll(sep, '/'), readFileSync(path, 'utf8')] as const)
      .sort(byPath),
  );
}

const byPath = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);

function readProfile(folder: string, name: string): JsonObject | undefined {
  const file = join(folder, `${name}.yaml`);
  if (!existsSync(file)) return undefined;
  const [object] = readYaml(readFileSync(file, 'utf8'), file).objects;
  const spec = isJsonObject(object?.value) ? object.value.spec : undefined;
  return isJsonObject(spec) ? spec : {};
}
