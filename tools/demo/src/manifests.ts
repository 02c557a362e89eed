import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const templates = join(import.meta.dirname, '../manifests');

/** The file with the VirtualService that the demo changes. */
const ROUTE_FILE = 'backend-route.yaml';

/** Ports by the names under which the manifests speak of them. */
export type ManifestPorts = Readonly<
  Record<
    | 'GATEWAY_PORT'
    | 'FRONTEND_PORT'
    | 'FRONTEND_APP_PORT'
    | 'BACKEND_PORT'
    | 'BACKEND_V1_APP_PORT'
    | 'BACKEND_V2_APP_PORT',
    number
  >
>;

/** Copies the manifests into a folder, with the ports filled in. */
export async function copyManifests(folder: string, ports: ManifestPorts): Promise<void> {
  const values = new Map<string, number>(Object.entries(ports));
  for (const name of await readdir(templates)) {
    const template = await readFile(join(templates, name), 'utf8');
    const text = template.replace(/\$\((\w+)\)/g, (_, key: string) => {
      const value = values.get(key);
      if (value === undefined) throw new Error(`${name}: no port is named ${key}`);
      return `${value}`;
    });
    await writeFile(join(folder, name), text);
  }
}

/** Share of the requests that each version of the back end gets, in percent. */
export interface Split {
  readonly v1: number;
  readonly v2: number;
}

/** The weights in the VirtualService of a folder. */
export async function readSplit(folder: string): Promise<Split> {
  const [v1, v2] = weightsIn(await readFile(join(folder, ROUTE_FILE), 'utf8'));
  return { v1: v1 ?? 0, v2: v2 ?? 0 };
}

/**
 * Changes the weights in the way in which files that others watch should be changed: a new one takes the old one's place.
 * @returns when that was, in milliseconds since 1970.
 */
export async function writeSplit(folder: string, split: Split): Promise<number> {
  const path = join(folder, ROUTE_FILE);
  const weights = [split.v1, split.v2];
  const text = (await readFile(path, 'utf8')).replace(/(?<=weight: )\d+/g, () => `${weights.shift()}`);
  const draft = join(folder, `.${ROUTE_FILE}.new`);
  await writeFile(draft, text);
  const at = Date.now();
  await rename(draft, path);
  return at;
}

const weightsIn = (text: string): readonly number[] => [...text.matchAll(/weight: (\d+)/g)].map(([, n]) => Number(n));
