import type { JsonObject } from '../parse/json.ts';
import type { ConfigKind, KindMap } from './registry.ts';

/** Where an object was read from. */
export interface Source {
  readonly file: string;
  /** One-based line on which the object starts. */
  readonly line: number;
}

/** Creation time of objects that carry none, so that their order never depends on when they were read: 2024-01-01. */
export const DEFAULT_CREATION_TIMESTAMP = Date.UTC(2024, 0, 1);

/** A configuration object of any kind, with its spec in typed form. Never changed once made. */
export interface Config<S = unknown> {
  readonly kind: string;
  readonly group: string;
  /** The version within the group, e.g. `v1`. All versions of a kind have the same spec. */
  readonly version: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch; {@link DEFAULT_CREATION_TIMESTAMP} where the object says nothing. */
  readonly creationTimestamp: number;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly uid?: string;
  readonly spec: S;
  readonly status?: JsonObject;
  readonly source?: Source;
}

/** A configuration object of a given kind: `ConfigOf<'Gateway'>` is `Config<Gateway>` with its kind. */
export type ConfigOf<K extends ConfigKind> = Config<KindMap[K]> & { readonly kind: K };

/** Whether the object is of the kind; narrows its spec. */
export function isKind<K extends ConfigKind>(config: Config, kind: K): config is ConfigOf<K> {
  return config.kind === kind;
}
