import { istioSources, type MeshRead } from '@kedge/config';
import { type Messages, parse } from '@kedge/envoy-api';
import { query } from '@kedge/incremental';
import {
  type Diagnostic,
  type EnvoyFilterApplyTo,
  type EnvoyFilterMatch,
  type EnvoyFilterOperation,
  PATCHED_MESSAGE,
} from '@kedge/model';
import { alike, envoyFilterKeys, envoyFilters, hasExtensionType, type PatchContext } from '@kedge/pushcontext';
import type { Origin } from '../guard.ts';
import { extensionTypes } from './extension-types.ts';

/** What patches are applied to. */
export type Target = Exclude<EnvoyFilterApplyTo, 'INVALID'>;

/** The message that a patch of a target brings. */
export type ValueOf<T extends Target> = Messages[(typeof PATCHED_MESSAGE)[T]];

/** One patch of an EnvoyFilter, ready to be applied. */
export interface Patch<T extends Target = Target> {
  /** As `envoyFilterPatches` gives it. */
  readonly key: string;
  /** The place where it is written. */
  readonly origin: Origin;
  readonly applyTo: T;
  readonly operation: EnvoyFilterOperation;
  readonly match: EnvoyFilterMatch;
  readonly value: ValueOf<T>;
}

interface ReadPatch {
  readonly patch?: Patch;
  readonly diagnostics: readonly Diagnostic[];
}

/** Lists in which a place can be chosen; in all others there is only the end. */
const ORDERED: ReadonlySet<Target> = new Set<Target>([
  'LISTENER_FILTER',
  'NETWORK_FILTER',
  'HTTP_FILTER',
  'HTTP_ROUTE',
]);

/** A patch by its key, `namespace/name#position`. */
const readPatch = query(
  'envoyFilterPatch',
  (read: MeshRead, key: string): ReadPatch => {
    const [object = '', position = ''] = key.split('#');
    const filter = read.get(istioSources.EnvoyFilter, object);
    const config = filter?.spec.configPatches[Number(position)];
    if (!filter || !config?.applyTo || config.applyTo === 'INVALID' || !config.patch) return { diagnostics: [] };
    const { applyTo, match = {}, patch } = config;
    const { operation = 'INVALID', value = {} } = patch;
    const { kind, namespace, name } = filter;
    const origin = { kind, namespace, name, field: `spec.configPatches[${position}]` };
    const parsed = parse(PATCHED_MESSAGE[applyTo], value, { unknownMembers: 'ignore' });
    if (!parsed.ok) {
      const problem = parsed.errors.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
      return { diagnostics: [patchDiagnostic(origin, 'invalid-patch', problem, 'patch.value')] };
    }
    const unknown = extensionTypes(parsed.message).find((type) => !read.fact(hasExtensionType, type));
    if (unknown !== undefined) {
      const problem = `the proxy has no extension that ${unknown} configures`;
      return { diagnostics: [patchDiagnostic(origin, 'unknown-extension', problem, 'patch.value')] };
    }
    const isInsert = operation.startsWith('INSERT');
    return {
      patch: {
        key,
        origin,
        applyTo,
        operation: isInsert && !ORDERED.has(applyTo) ? 'ADD' : operation,
        match,
        value: parsed.message,
      },
      diagnostics: [],
    };
  },
  alike,
);

/** A finding about a patch that is left out. */
export function patchDiagnostic(origin: Origin, code: string, problem: string, field = ''): Diagnostic {
  const { kind, namespace, name, field: at = '' } = origin;
  const place = [at, field].filter(Boolean).join('.');
  return { kind, namespace, name, severity: 'error', code, field: place, message: `the patch is left out: ${problem}` };
}

/** The patches of keys that `envoyFilterPatches` gave, in their order; by option those of one target alone. */
export function patchesOf(read: MeshRead, keys: string): readonly Patch[];
export function patchesOf<T extends Target>(read: MeshRead, keys: string, target: T): readonly Patch<T>[];
export function patchesOf(read: MeshRead, keys: string, target?: Target): readonly Patch[] {
  const patches = keys === '' ? [] : keys.split(',').flatMap((key) => read(readPatch, key).patch ?? []);
  return target === undefined ? patches : patches.filter((patch) => isFor(patch, target));
}

/** The keys by which {@link patchesOf} finds patches again. */
export const keysOf = (patches: readonly Patch[]): string => patches.map(({ key }) => key).join(',');

export function isFor<T extends Target>(patch: Patch, target: T): patch is Patch<T> {
  return patch.applyTo === target;
}

/** Both operations that merge; they differ in what becomes of lists. */
export const merges = ({ operation }: Patch): boolean =>
  operation === 'MERGE' || operation === 'MERGE_AND_REPLACE_LIST';

export const listsOf = ({ operation }: Patch) =>
  ({ lists: operation === 'MERGE_AND_REPLACE_LIST' ? 'replace' : 'append' }) as const;

/** Whether a patch adds to what is in a context. One that names no context adds once, not on both sides of a sidecar. */
export function addsIn({ operation, match }: Patch, context: PatchContext): boolean {
  return operation === 'ADD' && ((match.context ?? 'ANY') !== 'ANY' || context !== 'SIDECAR_INBOUND');
}

/** What is wrong with the patches for the proxy, wherever they would be applied. */
export const patchDiagnostics = query(
  'envoyFilterDiagnostics',
  (read: MeshRead): readonly Diagnostic[] =>
    envoyFilters(read, read(envoyFilterKeys)).flatMap(({ namespace, name, spec }) =>
      spec.configPatches.flatMap((_, at) => read(readPatch, `${namespace}/${name}#${at}`).diagnostics),
    ),
  alike,
);
