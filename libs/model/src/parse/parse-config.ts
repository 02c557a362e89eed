import type { Diagnostic, ObjectRef } from '../diagnostic.ts';
import { type Config, DEFAULT_CREATION_TIMESTAMP } from '../kinds/config.ts';
import { kinds, lookupKind } from '../kinds/registry.ts';
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
  const info = typeof apiVersion === 'string' && typeof kind === 'string' ? lookupKind(apiVersion, kind) : undefined;
  if (info === undefined) {
    reporter.add('error', unknownKind(apiVersion, kind));
    return { diagnostics: reporter.diagnostics };
  }

  for (const key of Object.keys(fields)) {
    if (!TOP_LEVEL.includes(key)) reporter.add('warning', unknownField([], key, TOP_LEVEL));
  }
  const meta = readSchema(ObjectMeta, fields.metadata ?? {});
  const spec = readSchema(info.schema, fields.spec ?? {});
  reporter.addAll('error', ['metadata'], meta.findings);
  reporter.addAll('error', ['spec'], spec.findings);
  // The API server prunes such fields, so an object that has one works; it may well not do what was meant.
  reporter.addAll('warning', ['spec'], spec.unknown);
  if (meta.value === undefined || spec.value === undefined) return { diagnostics: reporter.diagnostics };

  const { labels, annotations, resourceVersion, generation, uid } = meta.value;
  const config: Config = {
    kind: info.kind,
    group: info.group,
    version: String(apiVersion).slice(info.group.length + 1),
    namespace: meta.value.namespace ?? '',
    name: meta.value.name ?? '',
    labels,
    annotations,
    creationTimestamp: meta.value.creationTimestamp ?? DEFAULT_CREATION_TIMESTAMP,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(generation !== undefined && { generation }),
    ...(uid !== undefined && { uid }),
    spec: spec.value,
    ...(isJsonObject(fields.status) && { status: fields.status }),
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
  const info = Object.values(kinds).find((k) => k.kind === kind && apiVersion.startsWith(`${k.group}/`));
  if (info !== undefined) {
    const message = `${kind} is not in version ${apiVersion}, but in ${info.versions.join(', ')}`;
    return { code, path: ['apiVersion'], message };
  }
  const suggestion = nearest(kind, Object.keys(kinds));
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return { code, path: ['kind'], message: `unknown kind ${kind} of ${apiVersion}${hint}` };
}
