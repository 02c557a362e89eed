import { defaultCapabilities, manifestObjects, renderChart, type Values } from '@kedge/helm';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readChart } from '../charts/chart-folder.ts';
import { type ManifestObject, objectsOf, selectObjects, unequalObjects } from './manifest-objects.ts';
import type { ManifestCase } from './manifests.ts';

/** What `helm template` or `helm upgrade` is told beside values. */
interface HelmOptions {
  readonly chart: string;
  readonly releaseName: string;
  readonly namespace: string;
  readonly isUpgrade: boolean;
}

/** A chart by itself, with `spec.values` of the input, compared with the expected file. */
export async function runHelmCase(
  { input, expected, options }: ManifestCase,
  folder: string,
): Promise<readonly string[]> {
  const read = (file: string | readonly string[] | undefined): string =>
    readFileSync(join(folder, String(file)), 'utf8');
  const { chart, releaseName, namespace, isUpgrade } = options as typeof options & HelmOptions;
  const { spec } = (parse(read(input)) ?? {}) as { readonly spec?: { readonly values?: Values } };
  const release = { name: releaseName, namespace, isUpgrade };
  const rendered = renderChart(readChart(chart), release, spec?.values ?? {}, defaultCapabilities('v1.32.0'));
  const objects = manifestObjects(rendered).filter(({ kind }) => kind !== 'CustomResourceDefinition');
  return unequalObjects(
    selectObjects(objects as unknown as readonly ManifestObject[], options.diffSelect),
    objectsOf(read(expected)),
  );
}
