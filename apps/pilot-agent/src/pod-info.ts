import { readFile } from 'node:fs/promises';
import { parseDownwardApi } from './bootstrap/downward-api.ts';

const dir = './etc/istio/pod';

/** What the downward API tells of the pod; undefined where there is no such file. */
export interface PodInfo {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export async function readPodInfo(): Promise<PodInfo> {
  const [labels, annotations] = await Promise.all([readIfThere(`${dir}/labels`), readIfThere(`${dir}/annotations`)]);
  return {
    ...(labels !== undefined && { labels: parseDownwardApi(labels) }),
    ...(annotations !== undefined && { annotations: parseDownwardApi(annotations) }),
  };
}

/** The text of a file, or undefined if there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
