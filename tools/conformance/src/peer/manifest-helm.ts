import { defaultCapabilities, loadChart, manifestObjects, renderChart, type Values } from '@kedge/helm';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { type ManifestObject, objectsOf, selectObjects, unequalObjects } from './manifest-objects.ts';
import type { ManifestCase } from './manifests.ts';

const CHARTS = join(import.meta.dirname, '../../../../charts');

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
  const rendered = renderChart(chartOf(chart), release, spec?.values ?? {}, defaultCapabilities('v1.32.0'));
  const objects = manifestObjects(rendered).filter(({ kind }) => kind !== 'CustomResourceDefinition');
  return unequalObjects(
    selectObjects(objects as readonly ManifestObject[], options.diffSelect),
    objectsOf(read(expected)),
  );
}

function chartOf(name: string) {
  const folder = join(CHARTS, name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  const texts = files.filter((path) => statSync(path).isFile());
  return loadChart(new Map(texts.map((path) => [relative(folder, path), readFileSync(path, 'utf8')])));
}
