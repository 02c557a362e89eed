import type { Diagnostic, ObjectRef } from '../diagnostic.ts';
import { type Config, DEFAULT_CREATION_TIMESTAMP } from '../kinds/config.ts';
import { type KindInfo, kinds, lookupKind } from '../kinds/registry.ts';
import { type KubernetesKindInfo, kubernetesKinds, lookupKubernetesKind } from '../kubernetes/registry.ts';
import { type Finding, readSchema, unknownField } from './findings.ts';
import { type JsonObject, isJsonObject } from './json.ts';
import { nearest } from './nearest.ts';
import { ObjectMeta } from './object-meta.ts';
import { Reporter, type Where } from './reporter.ts';

export interface ParsedConfig {
  /** Absent when there are errors. */
  readonly config?: Config;
  readonly diagnostics: readonly Diagnostic[];
}

const TOP_LEVEL = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

/** Reads one object as YAML or JSON gives it. Never throws; whatever is wrong is a diagnostic with its field and line. */
export function parseConfig(object: unknown, where?: Where): ParsedConfig {
  const fields = isJsonObject(object) ? object : {};
  const { apiVersion, kind } = fields;
  const reporter = new Reporter(objectRef(fields), where);
  if (!isJsonObject(object)) {
    reporter.add('error', { code: 'wrong-type', path: [], message: 'must be an object with apiVersion and kind' });
    return { diagnostics: reporter.diagnostics };
  }
  const named = typeof apiVersion === 'string' && typeof kind === 'string';
  const istio = named ? lookupKind(apiVersion, kind) : undefined;
  const kubernetes = named ? lookupKubernetesKind(apiVersion, kind) : undefined;
  if (istio !== undefined) return parseIstio(reporter, fields, istio, where);
  if (kubernetes !== undefined) return parseKubernetes(reporter, fields, kubernetes, where);
  if (named && apiVersion.startsWith(`${GATEWAY_API}/`)) {
    const message = `${kind} of ${GATEWAY_API} is not in use yet; the object has no effect`;
    reporter.add('warning', { code: 'kind-not-in-use', path: ['kind'], message });
  } else {
    reporter.add('error', unknownKind(apiVersion, kind));
  }
  return { diagnostics: reporter.diagnostics };
}

const GATEWAY_API = 'gateway.networking.k8s.io';

function parseIstio(reporter: Reporter, fields: JsonObject, info: KindInfo, where?: Where): ParsedConfig {
  for (const key of Object.keys(fields)) {
    if (!TOP_LEVEL.includes(key)) reporter.add('warning', unknownField([], key, TOP_LEVEL));
  }
  const spec = readSchema(info.schema, fields.spec ?? {});
  reporter.addAll('error', ['spec'], spec.findings);
  // The API server prunes such fields, so an object that has one works; it may well not do what was meant.
  reporter.addAll('warning', ['spec'], spec.unknown);
  const status = isJsonObject(fields.status) ? fields.status : undefined;
  return withMetadata(reporter, fields, info, { spec: spec.value, status }, where);
}

/** Kinds of Kubernetes have many fields that mean nothing to a mesh, so unknown ones are no finding. */
function parseKubernetes(
  reporter: Reporter,
  fields: JsonObject,
  info: KubernetesKindInfo,
  where?: Where,
): ParsedConfig {
  const spec = readSchema(info.schema, info.view(fields));
  reporter.addAll('error', info.specPath, spec.findings);
  const status = info.statusSchema && readSchema(info.statusSchema, fields.status ?? {});
  reporter.addAll('error', ['status'], status?.findings ?? []);
  return withMetadata(reporter, fields, info, { spec: spec.value, status: status?.value }, where);
}

function withMetadata(
  reporter: Reporter,
  fields: JsonObject,
  info: Pick<KindInfo, 'kind' | 'group' | 'namespaced'>,
  { spec, status }: { readonly spec: unknown; readonly status: JsonObject | undefined },
  where: Where | undefined,
): ParsedConfig {
  const meta = readSchema(ObjectMeta, fields.metadata ?? {});
  reporter.addAll('error', ['metadata'], meta.findings);
  if (meta.value === undefined || spec === undefined) return { diagnostics: reporter.diagnostics };

  const { labels, annotations, resourceVersion, generation, uid } = meta.value;
  const config: Config = {
    kind: info.kind,
    group: info.group,
    version: String(fields.apiVersion).slice(info.group ? info.group.length + 1 : 0),
    // As kubectl has it.
    namespace: info.namespaced ? meta.value.namespace || 'default' : '',
    name: meta.value.name ?? '',
    labels,
    annotations,
    creationTimestamp: meta.value.creationTimestamp ?? DEFAULT_CREATION_TIMESTAMP,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(generation !== undefined && { generation }),
    ...(uid !== undefined && { uid }),
    spec,
    ...(status && { status }),
    ...(where && { source: { file: where.file, line: where.lineOf([]) ?? 1 } }),
  };
  return { config, diagnostics: reporter.diagnostics };
}

function objectRef({ kind, metadata }: JsonObject): ObjectRef {
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return { kind: text(kind), namespace: text(namespace), name: text(name) };
}

function unknownKind(apiVersion: unknown, kind: unknown): Finding {
  const code = 'unknown-kind';
  if (typeof kind !== 'string') return { code, path: ['kind'], message: 'the object has no kind' };
  if (typeof apiVersion !== 'string') return { code, path: ['apiVersion'], message: 'the object has no apiVersion' };
  const info = [...Object.values(kinds), ...Object.values(kubernetesKinds)].find(
    (k) => k.kind === kind && (k.group === '' ? !apiVersion.includes('/') : apiVersion.startsWith(`${k.group}/`)),
  );
  if (info !== undefined) {
    const message = `${kind} is not in version ${apiVersion}, but in ${info.versions.join(', ')}`;
    return { code, path: ['apiVersion'], message };
  }
  const suggestion = nearest(kind, [...Object.keys(kinds), ...Object.keys(kubernetesKinds)]);
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return { code, path: ['kind'], message: `unknown kind ${kind} of ${apiVersion}${hint}` };
}
