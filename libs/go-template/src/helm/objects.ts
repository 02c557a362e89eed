import { codecs, constant, fn } from '../value/function.ts';
import { toValue } from '../value/convert.ts';
import { listOf, namedType, types } from '../value/type.ts';
import { GoList, GoMap, GoStruct, stringList, type Methods, type Value } from '../value/value.ts';
import { encodeYaml } from '../yaml/encode.ts';
import { type Capabilities, type ChartMetadata, type Release } from './chart.ts';

const valuesType = namedType('chartutil.Values', 'map', types.anyMap);

const valuesMethods: Methods<GoMap> = {
  AsMap: (self) => constant(new GoMap(self.entries)),
  YAML: (self) => constant(`${encodeYaml(self)}\n`),
  Table: (self) =>
    fn([codecs.string], codecs.any, (path) => {
      const found = path
        .split('.')
        .reduce<Value>((value, key) => (value instanceof GoMap ? value.entries.get(key) : undefined), self);
      return found instanceof GoMap ? found : new GoMap([]);
    }),
};

/** A map of the type that Helm gives `.`, `.Values` and `.Template`; it shares the entries of the map it's made from. */
export const valuesObject = (entries: Iterable<readonly [string, Value]>): GoMap =>
  new GoMap(entries, valuesType, valuesMethods);

const omitEmpty = (entries: readonly (readonly [string, Value])[]): readonly (readonly [string, Value])[] =>
  entries.filter(([, value]) => {
    if (value instanceof GoList) return value.items.length > 0;
    if (value instanceof GoMap) return value.entries.size > 0;
    return value !== '' && value !== false && value !== null;
  });

const maintainerType = namedType('*chart.Maintainer', 'ptr');
const dependencyType = namedType('*chart.Dependency', 'ptr');
const chartType = namedType('struct { chart.Metadata; IsRoot bool }', 'struct');

/** A struct whose JSON names are its field names with a small first letter, but for those given; empty fields are left out. */
const tagged = (
  type: typeof chartType,
  fields: Readonly<Record<string, Value>>,
  names: Readonly<Record<string, string>> = {},
): GoStruct => {
  const jsonName = (name: string): string => names[name] ?? name.charAt(0).toLowerCase() + name.slice(1);
  return new GoStruct(
    type,
    fields,
    {},
    omitEmpty(Object.entries(fields).map(([name, value]) => [jsonName(name), value] as const)),
  );
};

const texts = (items: readonly string[] = []): GoList => stringList(items, items.length === 0);

/** `.Chart` */
export const chartObject = (metadata: ChartMetadata, isRoot: boolean): GoStruct => {
  const maintainers = (metadata.maintainers ?? []).map(({ name = '', email = '', url = '' }) =>
    tagged(maintainerType, { Name: name, Email: email, URL: url }, { URL: 'url' }),
  );
  const dependencies = (metadata.dependencies ?? []).map(
    ({ name = '', version = '', repository = '', condition = '', alias = '' }) =>
      tagged(dependencyType, {
        Name: name,
        Version: version,
        Repository: repository,
        Condition: condition,
        Alias: alias,
      }),
  );
  const fields: Record<string, Value> = {
    Name: metadata.name,
    Home: metadata.home ?? '',
    Sources: texts(metadata.sources),
    Version: metadata.version ?? '',
    Description: metadata.description ?? '',
    Keywords: texts(metadata.keywords),
    Maintainers: new GoList(maintainers, listOf(maintainerType), maintainers.length === 0),
    Icon: metadata.icon ?? '',
    APIVersion: metadata.apiVersion ?? '',
    Condition: metadata.condition ?? '',
    Tags: metadata.tags ?? '',
    AppVersion: metadata.appVersion ?? '',
    Deprecated: metadata.deprecated ?? false,
    Annotations: new GoMap(Object.entries(metadata.annotations ?? {}), types.stringMap),
    KubeVersion: metadata.kubeVersion ?? '',
    Dependencies: new GoList(dependencies, listOf(dependencyType), dependencies.length === 0),
    Type: metadata.type ?? '',
  };
  const { json } = tagged(chartType, fields, { APIVersion: 'apiVersion' });
  const written = [...(json as readonly (readonly [string, Value])[]), ['IsRoot', isRoot] as const];
  return new GoStruct(chartType, { ...fields, IsRoot: isRoot }, {}, written);
};

/** `.Release` */
export const releaseObject = (release: Release): Value =>
  toValue({
    Name: release.name,
    Namespace: release.namespace,
    IsUpgrade: release.isUpgrade ?? false,
    IsInstall: !(release.isUpgrade ?? false),
    Revision: BigInt(release.revision ?? 1),
    Service: 'Helm',
  });

const versionSetType = namedType('chartutil.VersionSet', 'slice', types.stringList);

const versionSet = (versions: readonly string[]): GoList =>
  new GoList(versions, versionSetType, false, {
    Has: () => fn([codecs.string], codecs.bool, (version) => versions.includes(version)),
  });

/** `.Capabilities` */
export const capabilitiesObject = ({ kubeVersion, apiVersions, helmVersion }: Capabilities): GoStruct => {
  const [major = '', minor = ''] = kubeVersion.replace(/^v/, '').split('.');
  const kube = new GoStruct(
    namedType('chartutil.KubeVersion', 'struct'),
    { Version: kubeVersion, Major: major, Minor: minor },
    { String: () => constant(kubeVersion), GitVersion: () => constant(kubeVersion) },
    [
      ['Version', kubeVersion],
      ['Major', major],
      ['Minor', minor],
    ],
  );
  const helm = new GoStruct(
    namedType('version.BuildInfo', 'struct'),
    { Version: helmVersion ?? '', GitCommit: '', GitTreeState: '', GoVersion: '' },
    {},
    [['version', helmVersion ?? '']],
  );
  return new GoStruct(namedType('*chartutil.Capabilities', 'ptr'), {
    KubeVersion: kube,
    APIVersions: versionSet(apiVersions),
    HelmVersion: helm,
  });
};
