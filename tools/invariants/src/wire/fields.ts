/** The fields of an encoded message whose wire type is "delimited", by number, in their order. Others are passed over. */
export function delimitedFields(bytes: Uint8Array): ReadonlyMap<number, readonly Uint8Array[]> {
  const fields = new Map<number, Uint8Array[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const wireType = tag & 7;
    if (wireType === 0) varint();
    else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else {
      const length = varint();
      const number = Math.floor(tag / 8);
      fields.set(number, [...(fields.get(number) ?? []), bytes.subarray(at, at + length)]);
      at += length;
    }
  }
  return fields;
}
