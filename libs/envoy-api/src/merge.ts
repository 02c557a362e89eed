import { isDefaultScalar } from './codec/scalar-writers.ts';
import { isRawMessage, unknownFields } from './message.ts';
import type { RawMessage } from './message.ts';
import { messageType, typeOfUrl } from './registry.ts';
import { defaultOf } from './schema.ts';
import type { Field, MessageType } from './schema.ts';
import { isWellKnown, WRAPPERS } from './well-known.ts';

export interface MergeOptions {
  /** What a list of the patch does to the list it meets, at every depth. Default: append. */
  readonly lists?: 'append' | 'replace';
}

/** Merges canonical messages; see `merge` in index.ts. */
export function mergeMessages(name: string, base: unknown, patch: unknown, options: MergeOptions): unknown {
  const merger = new Merger(options.lists ?? 'append');
  if (name === 'google.protobuf.Any') return merger.unpackedAny(base, patch);
  return merger.message(messageType(name), base, patch);
}

type Merge = (base: unknown, patch: unknown) => unknown;

class Merger {
  readonly #lists: 'append' | 'replace';
  readonly #wellKnown: ReadonlyMap<string, Merge>;

  constructor(lists: 'append' | 'replace') {
    this.#lists = lists;
    const replace: Merge = (_, patch) => patch;
    this.#wellKnown = new Map<string, Merge>([
      // A wrapper is a message with one field, and a field at its default isn't there to be merged.
      ...[...WRAPPERS].map(([name, scalar]): [string, Merge] => [
        name,
        (base, patch) => (isDefaultScalar(patch, scalar) ? base : patch),
      ]),
      // Likewise the content of an Any, which is opaque here.
      ['google.protobuf.Any', (base, patch) => (isEmptyAny(patch) && sameType(base, patch) ? base : patch)],
      ['google.protobuf.Duration', replace],
      ['google.protobuf.Timestamp', replace],
      ['google.protobuf.FieldMask', (base, patch) => [base, patch].filter(Boolean).join(',')],
      ['google.protobuf.Struct', mergeEntries],
      ['google.protobuf.ListValue', (base, patch) => this.#list(base, patch)],
      ['google.protobuf.Value', (base, patch) => this.#value(base, patch)],
    ]);
  }

  message(type: MessageType, base: unknown, patch: unknown): unknown {
    if (base === undefined) return patch;
    const wellKnown = this.#wellKnown.get(type.name);
    if (wellKnown) return wellKnown(base, patch);
    return isRawMessage(base) && isRawMessage(patch) ? this.#fields(type, base, patch) : patch;
  }

  unpackedAny(base: unknown, patch: unknown): unknown {
    if (!isRawMessage(base) || !isRawMessage(patch) || !sameType(base, patch)) return patch;
    const type = typeOfUrl(String(base['@type']));
    if (!type) return patch;
    if (!isWellKnown(type.name)) return { ...(this.message(type, base, patch) as object), '@type': base['@type'] };
    return { '@type': base['@type'], value: this.message(type, base['value'], patch['value']) };
  }

  #fields(type: MessageType, base: RawMessage, patch: RawMessage): RawMessage {
    const merged: Record<string | symbol, unknown> = { ...base };
    for (const [key, value] of Object.entries(patch)) {
      const field = type.byJson.get(key);
      if (!field || !isPopulated(field, value)) continue;
      if (field.oneof !== undefined) {
        for (const sibling of type.fields) {
          if (sibling.oneof === field.oneof && sibling !== field) delete merged[sibling.json];
        }
      }
      merged[key] = this.#field(field, merged[key], value);
    }
    const unknown = [base[unknownFields], patch[unknownFields]].filter((bytes) => bytes !== undefined);
    if (unknown.length > 0) merged[unknownFields] = Uint8Array.from(Buffer.concat(unknown));
    return merged;
  }

  #field({ cardinality, value }: Field, base: unknown, patch: unknown): unknown {
    switch (cardinality) {
      case 'repeated':
        return this.#list(base, patch);
      case 'map':
        return mergeEntries(base, patch);
      case 'singular':
        return value.kind === 'message' ? this.message(value.message(), base, patch) : patch;
    }
  }

  #list(base: unknown, patch: unknown): unknown {
    return this.#lists === 'append' && Array.isArray(base) && Array.isArray(patch) ? [...base, ...patch] : patch;
  }

  #value(base: unknown, patch: unknown): unknown {
    if (Array.isArray(base) && Array.isArray(patch)) return this.#list(base, patch);
    return isRawMessage(base) && isRawMessage(patch) ? mergeEntries(base, patch) : patch;
  }
}

/** Entries of a map replace those of the same key. */
function mergeEntries(base: unknown, patch: unknown): unknown {
  return { ...(base as object | undefined), ...(patch as object) };
}

function isPopulated(field: Field, value: unknown): boolean {
  if (value === undefined) return false;
  if (field.cardinality === 'repeated') return !Array.isArray(value) || value.length > 0;
  return field.presence || field.cardinality === 'map' || value !== defaultOf(field.value);
}

function sameType(base: unknown, patch: unknown): boolean {
  return isRawMessage(base) && isRawMessage(patch) && base['@type'] === patch['@type'];
}

function isEmptyAny(any: unknown): boolean {
  return isRawMessage(any) && Object.keys(any).every((key) => key === '@type') && !any[unknownFields];
}
