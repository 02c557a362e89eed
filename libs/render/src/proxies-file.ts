import {
  type Diagnostic,
  isJsonObject,
  type JsonObject,
  type NodeDescription,
  parseProxy,
  type Proxy,
  readYaml,
} from '@kedge/model';

/** A proxy to render for, as the file names it. */
export interface NamedProxy {
  readonly name: string;
  /** As its Envoy tells of itself. */
  readonly node: NodeDescription;
  readonly proxy: Proxy;
}

/** For whom to render, and under which circumstances. */
export interface ProxiesFile {
  readonly proxies: readonly NamedProxy[];
  /** The environment of the control plane: feature switches. */
  readonly environment: Readonly<Record<string, string>>;
  /** `Kind/name` of objects that admission refuses, so that they have no effect. */
  readonly invalid: ReadonlySet<string>;
}

export interface ParsedProxiesFile extends ProxiesFile {
  readonly diagnostics: readonly Diagnostic[];
}

const FIELDS: ReadonlySet<string> = new Set(['proxies', 'env', 'invalid']);
const PROXY_FIELDS: ReadonlySet<string> = new Set(['name', 'node', 'metadata', 'locality', 'extensions']);

/**
 * Reads a file of proxies: `proxies` (each `name`, `node`: the node id that its Envoy sends, `metadata`, `locality` as
 * `region/zone/subzone`, `extensions`), `env` and `invalid`.
 */
export function parseProxiesFile(text: string, file?: string): ParsedProxiesFile {
  const yaml = readYaml(text, file);
  const diagnostics = [...yaml.diagnostics];
  const document = yaml.objects[0]?.value;
  const report = (field: string, message: string): void => {
    diagnostics.push({
      severity: 'error',
      code: 'invalid-proxy',
      kind: '',
      namespace: '',
      name: '',
      field,
      message,
      file,
    });
  };
  const fields = isJsonObject(document) ? document : {};
  if (yaml.diagnostics.length === 0 && !Array.isArray(fields.proxies)) report('proxies', 'must be a list of proxies');
  reportUnknown(fields, FIELDS, '', report);
  const names = new Set<string>();
  const proxies = listOf(fields.proxies).flatMap((entry, at) => {
    const field = `proxies[${at}]`;
    const named = isJsonObject(entry) ? namedProxy(entry) : { problem: 'must be an object' };
    if (isJsonObject(entry)) reportUnknown(entry, PROXY_FIELDS, `${field}.`, report);
    if ('proxy' in named && !names.has(named.name)) {
      names.add(named.name);
      return [named];
    }
    report(field, 'proxy' in named ? `another proxy has the name "${named.name}" already` : named.problem);
    return [];
  });
  const environment = isJsonObject(fields.env)
    ? Object.fromEntries(Object.entries(fields.env).map(([name, value]) => [name, String(value)]))
    : {};
  return { proxies, environment, invalid: new Set(listOf(fields.invalid).map(String)), diagnostics };
}

/** What is misspelt should not pass for what is left out. */
function reportUnknown(
  object: JsonObject,
  known: ReadonlySet<string>,
  above: string,
  report: (field: string, message: string) => void,
): void {
  for (const name of Object.keys(object)) if (!known.has(name)) report(`${above}${name}`, 'is no field of this file');
}

function namedProxy(entry: JsonObject): NamedProxy | { readonly problem: string } {
  const { name, node } = entry;
  if (typeof name !== 'string' || name === '' || /[/\\]|^\.\.?$/.test(name))
    return { problem: 'needs a name that can be that of a folder' };
  const description: NodeDescription = {
    id: typeof node === 'string' ? node : '',
    metadata: isJsonObject(entry.metadata) ? entry.metadata : {},
    locality: localityOf(entry.locality),
    extensions: listOf(entry.extensions).map((extension) => ({ name: String(extension) })),
  };
  const parsed = parseProxy(description);
  return 'proxy' in parsed ? { name, node: description, proxy: parsed.proxy } : parsed;
}

/** Written `region/zone/subzone`, or as an object with these names in whatever case. */
function localityOf(value: unknown): NonNullable<NodeDescription['locality']> {
  if (!isJsonObject(value)) {
    const [region = '', zone = '', subZone = ''] = typeof value === 'string' ? value.split('/') : [];
    return { region, zone, subZone };
  }
  const parts = new Map(Object.entries(value).map(([name, part]) => [name.toLowerCase(), String(part)]));
  return { region: parts.get('region') ?? '', zone: parts.get('zone') ?? '', subZone: parts.get('subzone') ?? '' };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
