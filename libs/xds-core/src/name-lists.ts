/** `resource_names` of DiscoveryRequest, and `resource_names_subscribe` of DeltaDiscoveryRequest. */
const NAMES_FIELD = 3;
const LENGTH_DELIMITED = 2;
const NAMES_TAG = (NAMES_FIELD << 3) | LENGTH_DELIMITED;

/** Shorter requests are decoded faster than looked up. */
const LONG_BYTES = 4096;
const MOST_LISTS = 32;
const MOST_BYTES = 16 * 1024 * 1024;

interface KnownList {
  /** As it stands in requests. */
  readonly bytes: Buffer;
  readonly names: readonly string[];
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
    const from = bytes.length < LONG_BYTES ? undefined : startOfNames(bytes);
    const known = from === undefined ? undefined : this.#find(bytes, from);
    if (known) {
      const request = decode(
        Buffer.concat([bytes.subarray(0, from), bytes.subarray((from ?? 0) + known.bytes.length)]),
      );
      // There may be more of them elsewhere.
      if ((namesOf(request) ?? []).length === 0) return { request, names: known.names };
    }
    const request = decode(bytes);
    const names = namesOf(request) ?? [];
    const { to, count } = namesFrom(bytes, from ?? bytes.length);
    if (from !== undefined && count === names.length)
      this.#keep({ bytes: Buffer.from(bytes.subarray(from, to)), names });
    return { request, names };
  }

  #find(bytes: Uint8Array, from: number): KnownList | undefined {
    const known = this.#known.find(({ bytes: list }) => {
      const to = from + list.length;
      return bytes[to] !== NAMES_TAG && list.equals(bytes.subarray(from, to));
    });
    if (known && known !== this.#known[0]) this.#known = [known, ...this.#known.filter((list) => list !== known)];
    return known;
  }

  #keep(list: KnownList): void {
    let held = 0;
    this.#known = [list, ...this.#known]
      .slice(0, MOST_LISTS)
      .filter(({ bytes }) => (held += bytes.length) <= MOST_BYTES);
  }
}

/** Where the names begin; undefined where there are none, or the bytes are no message. */
function startOfNames(bytes: Uint8Array): number | undefined {
  let at = 0;
  for (let field = fieldAt(bytes, at); field; field = fieldAt(bytes, at)) {
    if (field.number === NAMES_FIELD) return at;
    at = field.to;
  }
  return undefined;
}

/** Where those names end that stand together, and how many they are. */
function namesFrom(bytes: Uint8Array, from: number): { readonly to: number; readonly count: number } {
  let to = from;
  let count = 0;
  for (let field = fieldAt(bytes, to); field?.number === NAMES_FIELD; field = fieldAt(bytes, to)) {
    to = field.to;
    count += 1;
  }
  return { to, count };
}

/** A field's number, and where it ends. Requests have only fields with a length. */
function fieldAt(bytes: Uint8Array, from: number): { readonly number: number; readonly to: number } | undefined {
  const tag = varintAt(bytes, from);
  const length = tag && (tag.value & 7) === LENGTH_DELIMITED ? varintAt(bytes, tag.to) : undefined;
  if (!tag || !length || length.to + length.value > bytes.length) return undefined;
  return { number: tag.value >>> 3, to: length.to + length.value };
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
