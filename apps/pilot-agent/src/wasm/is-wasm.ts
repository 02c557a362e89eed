const magic = Buffer.from([0, 0x61, 0x73, 0x6d]);

/** Whether the bytes begin as a Wasm module does: magic number and version. */
export const isWasm = (bytes: Buffer): boolean => bytes.length >= 8 && bytes.subarray(0, magic.length).equals(magic);
