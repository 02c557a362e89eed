import {
  codecs,
  encodeYaml,
  fn,
  type FunctionTable,
  FunctionError,
  fromValue,
  GoMap,
  toValue,
  variadic,
  type Value,
} from '@kedge/go-template';
import { PROXY } from './containers.ts';
import { appendMultusNetwork } from './multus.ts';
import { omitNil } from './omit-nil.ts';
import { otelResourceAttributes } from './otel.ts';
import { imageTypeOf, proxyImage } from './proxy-image.ts';
import type { InjectionRequest } from './request.ts';
import type { Container, ContainerPort, ObjectMeta } from './pod.ts';
import { changedFields, type ProxyConfig } from './mesh.ts';

const { any, string } = codecs;

/** The functions of injection templates beside sprig's, for one pod. */
export function injectionFunctions(request: InjectionRequest, proxyConfig: ProxyConfig): FunctionTable {
  const global = request.values.global;
  const type = imageTypeOf(request.pod.metadata, proxyConfig, global);
  const initType = imageTypeOf(request.pod.metadata, {}, global);
  const imageOf = (annotations: ReadonlyMap<string, string>, image: string, ofType: string | undefined): string => {
    const own = annotations.get('sidecar.istio.io/proxyImage');
    return own?.includes('/') === true
      ? own
      : proxyImage({ hub: global.hub, tag: global.tag, image: own ?? image, type: ofType });
  };
  return {
    annotation: fn(
      [any, string, any],
      string,
      (meta, name, fallback) => annotationsOf(meta).get(name) ?? text(fallback),
    ),
    isset: fn([any, string], codecs.bool, (map, key) => map instanceof GoMap && map.entries.has(key)),
    valueOrDefault: fn([any, any], any, (value, fallback) => (isEmpty(value) ? fallback : value)),
    excludeInboundPort: fn([any, string], string, (port, excluded) => withPort(excluded, text(port))),
    imageOf: fn([any, string], string, (meta, image) => imageOf(annotationsOf(meta), image, type)),
    initImageOf: fn([any, string], string, (meta, image) => imageOf(annotationsOf(meta), image, initType)),
    agentgatewayImage: fn([any], string, (meta) => {
      const own = annotationsOf(meta).get('gateway.istio.io/agentgatewayImage');
      const { image } = (global.agentgateway ?? {}) as { readonly image?: string };
      const whole = [own, image].find((reference) => reference?.includes('/'));
      const variant = own ?? proxyConfig.image?.imageType ?? (global.variant as string | undefined);
      return whole ?? proxyImage({ hub: global.hub, tag: String(global.tag), image: 'agentgateway', type: variant });
    }),
    canonicalName: fn([any, string], string, () => canonicalName(request.pod.metadata, request.workload.name)),
    canonicalRevision: fn([any], string, () => {
      const { labels = {} } = request.pod.metadata;
      const keys = ['service.istio.io/canonical-revision', 'app.kubernetes.io/version', 'version'];
      return keys.map((key) => labels[key]).find(Boolean) ?? 'latest';
    }),
    podPorts: fn([any], string, () => podPorts(request.pod.spec.containers ?? [])),
    applicationPorts: fn([any], string, () => portsOf(ofApplication(request.pod.spec.containers ?? []))),
    appendMultusNetwork: fn([string, string], string, appendMultusNetwork),
    otelResourceAttributes: fn([any, any], string, () => {
      const { metadata, spec } = request.pod;
      const containers = ofApplication(spec.containers ?? []);
      return otelResourceAttributes(request.mesh, metadata, request.workload.namespace || 'default', containers);
    }),
    protoToJSON: fn([any], string, () => JSON.stringify(changedFields(proxyConfig, request.proxyDefaults))),
    toJSON: fn([any], string, (value) => JSON.stringify(fromValue(value))),
    structToJSON: fn([any], string, (value) => JSON.stringify(fromValue(value))),
    fromJSON: fn([string], any, parseJson),
    toJsonMap: variadic([], any, string, (maps) => JSON.stringify(mergedMaps(maps))),
    toYaml: fn([any], string, (value) => encodeYaml(value).trimEnd()),
    toLower: fn([string], string, (value) => value.toLowerCase()),
    directory: fn([string], string, (path) => path.slice(0, path.lastIndexOf('/')) || '/'),
    omitNil: fn([any], any, (value) => toValue(omitNil(fromValue(value)))),
    env: fn([string, string], string, (name, fallback) => request.environment?.[name] ?? fallback),
    includeInboundPorts: fn([any], string, () => portsOf(request.pod.spec.containers ?? [])),
    kubevirtInterfaces: fn([string], string, trimmedList),
    excludeInterfaces: fn([string], string, trimmedList),
    formatDuration: fn([any], string, text),
    strdict: variadic([], string, codecs.stringMap, (items) => new Map(Object.entries(pairs(items)))),
    mergeMaps: variadic([], any, any, (maps) => toValue(mergedMaps(maps))),
    omit: variadic([any], string, any, (map, keys) => toValue(omitKeys(asObject(map), keys))),
  };
}

const isEmpty = (value: Value): boolean => value === null || value === undefined || value === '' || value === false;
const asObject = (value: Value): object => (fromValue(value) as object | null) ?? {};
const mergedMaps = (maps: readonly Value[]): object => Object.assign({}, ...maps.map(asObject)) as object;
const omitKeys = (map: object, keys: readonly string[]): object =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));

function text(value: Value): string {
  if (value === null || value === undefined) return '';
  const native = fromValue(value);
  return typeof native === 'string' ? native : JSON.stringify(native);
}

function annotationsOf(meta: Value): ReadonlyMap<string, string> {
  const annotations = meta instanceof GoMap ? meta.entries.get('Annotations') : undefined;
  return annotations instanceof GoMap ? (annotations.entries as ReadonlyMap<string, string>) : new Map();
}

function parseJson(source: string): Value {
  try {
    return toValue(JSON.parse(source));
  } catch (error) {
    throw new FunctionError(error instanceof Error ? error.message : String(error));
  }
}

const pairs = (items: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(items.flatMap((key, index) => (index % 2 === 0 ? [[key, items[index + 1] ?? '']] : [])));

/** The port of the agent is not redirected, unless there is none. */
function withPort(excluded: string, port: string): string {
  const ports = excluded.split(',').map((item) => item.trim());
  const missing = port === '' || port === '0' || ports.includes(port) ? [] : [port];
  return [...ports.filter(Boolean), ...missing].join(',');
}

const NAME_LABELS = ['service.istio.io/canonical-name', 'app.kubernetes.io/name', 'app'];

function canonicalName({ labels = {} }: ObjectMeta, workload: string): string {
  const name = NAME_LABELS.map((label) => labels[label]).find(Boolean) ?? workload;
  return name.slice(0, 63).replace(/^[-_.]+|[-_.]+$/g, '');
}

/** Ports of the application's containers, a line each. */
function podPorts(containers: readonly Container[]): string {
  const entry = ({ name, containerPort, protocol }: ContainerPort) => JSON.stringify({ name, containerPort, protocol });
  const ports = ofApplication(containers).flatMap((container) => container.ports ?? []);
  const lines = ports.map((port, index) => `    ${index > 0 ? ',' : ''}${entry(port)}`);
  return ['[', ...lines, ']'].join('\n');
}

const portsOf = (containers: readonly Container[]): string =>
  containers
    .flatMap(({ ports = [] }) => ports)
    .map(({ containerPort }) => containerPort)
    .join(',');

const ofApplication = (containers: readonly Container[]): readonly Container[] =>
  containers.filter(({ name }) => name !== PROXY);

const trimmedList = (list: string): string =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
    .join(',');
