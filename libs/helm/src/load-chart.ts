import { decodeYaml, fromValue } from '@kedge/go-template';
import { ChartError } from './chart-error.ts';
import type { Chart, Values } from './chart.ts';
import { isValues } from './values.ts';

type Files = ReadonlyMap<string, string>;

/** Files that are parts of the chart itself, and so none of `.Files`. */
const OWN_FILES: ReadonlySet<string> = new Set([
  ...['Chart.yaml', 'Chart.lock', 'values.yaml', 'values.schema.json', '.helmignore'],
]);

/**
 * A chart of the files of its folder, by path, the charts in its folder `charts` included. Throws a ChartError if it is none.
 */
export function loadChart(files: Files): Chart {
  const metadata = parsed(files, 'Chart.yaml', yamlOf);
  if (metadata === undefined) throw new ChartError('Chart.yaml file is missing');
  const { name } = metadata;
  if (typeof name !== 'string' || name === '') throw new ChartError('validation: chart.metadata.name is required');
  const values = parsed(files, 'values.yaml', yamlOf);
  const schema = parsed(files, 'values.schema.json', JSON.parse);
  const loose = [...files].filter(([path]) => !OWN_FILES.has(path) && !path.startsWith('charts/'));
  return {
    metadata: { ...metadata, name },
    ...(values && { values }),
    ...(schema && { schema }),
    templates: new Map(loose.filter(([path]) => path.startsWith('templates/'))),
    files: new Map(loose.filter(([path]) => !path.startsWith('templates/'))),
    dependencies: [...foldersOf(files, 'charts/')].map(([folder, inner]) => within(folder, () => loadChart(inner))),
  };
}

const yamlOf = (text: string): unknown => fromValue(decodeYaml(text));

function parsed(files: Files, file: string, parse: (text: string) => unknown): Values | undefined {
  const text = files.get(file);
  if (text === undefined) return undefined;
  const value = within(file, () => parse(text));
  if (value === null) return {};
  if (!isValues(value)) throw new ChartError(`${file}: is not a map`);
  return value;
}

function within<T>(place: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new ChartError(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** The files of each folder below a prefix; archives are refused, folders that begin with `.` or `_` are no charts. */
function foldersOf(files: Files, prefix: string): ReadonlyMap<string, Files> {
  const folders = new Map<string, Map<string, string>>();
  for (const [path, text] of files) {
    if (!path.startsWith(prefix)) continue;
    const [folder = '', ...rest] = path.slice(prefix.length).split('/');
    if (rest.length === 0 && folder.endsWith('.tgz')) throw new ChartError(`${path}: unpack this archive to use it`);
    if (rest.length === 0 || /^[._]/.test(folder)) continue;
    folders.set(folder, (folders.get(folder) ?? new Map<string, string>()).set(rest.join('/'), text));
  }
  return folders;
}
