import { type Chart, loadChart } from '@kedge/helm';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

export const chartsFolder = join(import.meta.dirname, '../../../../charts');

export function readChart(name: string): Chart {
  const folder = join(chartsFolder, name);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  const files = paths.filter((path) => statSync(path).isFile());
  return loadChart(new Map(files.map((path) => [relative(folder, path), readFileSync(path, 'utf8')])));
}
