/** `resource_names` of DiscoveryRequest, and `resource_names_subscribe` of DeltaDiscoveryRequest. */
const NAMES_FIELD = 3;
const LENGTH_DELIMITED = 2;

/** Shorter requests are decoded faster than looked up. */
const LONG_BYTES = 4096;
const MOST_LISTS = 32;
const MOST_BYTES = 16 * 1024 * 1024;

interface KnownList {
  /** As it stands in requests. */
  readonly bytes: Buffer;
  readonly names: readonly string[];
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Long lists of names that came lately. State-of-the-world clients repeat all their names with every ACK, and clients that
 * see the same ask for the same: such a list is recognized by its bytes, and is then the identical list.
 */
export class NameLists {
  /** The latest used first. */
  #known: readonly KnownList[] = [];

  /** Decodes a request, without its names where these are known. */
  decode<R>(
    bytes: Uint8Array,
    decode: (bytes: Uint8Array) => R,
    namesOf: (request: R) => readonly string[] | undefined,
  ): { readonly request: R; readonly names: readonly string[] } {
    const range = bytes.length < LONG_BYTES ? undefined : rangeOfNames(bytes);
    const names = range && this.#find(bytes.subarray(range.from, range.to));
    if (range && names) {
      const request = decode(Buffer.concat([bytes.subarray(0, range.from), bytes.subarray(range.to)]));
      return { request, names };
    }
    const request = decode(bytes);
    const decoded = namesOf(request) ?? [];
    if (range) this.#keep({ bytes: Buffer.from(bytes.subarray(range.from, range.to)), names: decoded });
    return { request, names: decoded };
  }

  #find(bytes: Uint8Array): readonly string[] | undefined {
    const known = this.#known.find((list) => list.bytes.equals(bytes));
    if (known && known !== this.#known[0]) this.#known = [known, ...this.#known.filter((list) => list !== known)];
    return known?.names;
  }

  #keep(list: KnownList): void {
    let held = 0;
    this.#known = [list, ...this.#known]
      .slice(0, MOST_LISTS)
      .filter(({ bytes }) => (held += bytes.length) <= MOST_BYTES);
  }
}

/** Where the names stand; undefined where they don't stand together, or the bytes are no message. */
function rangeOfNames(bytes: Uint8Array): Range | undefined {
  let range: Range | undefined;
  for (let at = 0; at < bytes.length;) {
    const tag = varintAt(bytes, at);
    const length = tag && (tag.value & 7) === LENGTH_DELIMITED ? varintAt(bytes, tag.to) : undefined;
    // Requests have no fields of another wire type.
    if (!tag || !length || length.to + length.value > bytes.length) return undefined;
    const to = length.to + length.value;
    if (tag.value >>> 3 === NAMES_FIELD) {
      if (range && range.to !== at) return undefined;
      range = { from: range?.from ?? at, to };
    }
    at = to;
  }
  return range;
}

/** A varint of at most four bytes, which no tag or length of a request exceeds. */
function varintAt(bytes: Uint8Array, from: number): { readonly value: number; readonly to: number } | undefined {
  let value = 0;
  for (let at = from; at < from + 4; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    value |= (byte & 127) << (7 * (at - from));
    if (byte < 128) return { value, to: at + 1 };
  }
  return undefined;
}
