import { basename } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { isWasm } from './is-wasm.ts';

const unzip = promisify(gunzip);
const gzipMagic = Buffer.from([0x1f, 0x8b]);
const tarMagic = Buffer.from('ustar');
const tarMagicOffset = 257;

/**
 * The module in what was downloaded: itself, the first file of an archive, compressed or not. What is none of it is given back
 * as it is.
 * @throws Error for a broken archive, or one with more than `maxBytes` in it.
 */
export async function unpackModule(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  // Compressed archives of compressed files are as deep as it gets.
  for (let depth = 0; depth < 4; depth++) {
    if (isWasm(bytes)) break;
    if (startsWith(bytes, gzipMagic)) bytes = await decompress(bytes, maxBytes);
    else if (startsWith(bytes.subarray(tarMagicOffset), tarMagic)) bytes = await fileOf(bytes, () => true);
    else break;
  }
  return bytes;
}

/** The file `plugin.wasm` of a compressed layer of an image. */
export async function unpackLayer(layer: Buffer, maxBytes: number): Promise<Buffer> {
  return fileOf(await decompress(layer, maxBytes), (name) => basename(name) === 'plugin.wasm');
}

const startsWith = (bytes: Buffer, magic: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic);

async function decompress(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  return unzip(bytes, { maxOutputLength: maxBytes });
}

/** The first file of an archive whose name is wanted. */
async function fileOf(archive: Buffer, isWanted: (name: string) => boolean): Promise<Buffer> {
  const files = extract();
  files.end(archive);
  for await (const entry of files) {
    const { type, name } = entry.header;
    if (type !== 'file' || !isWanted(name)) entry.resume();
    else {
      const chunks: Buffer[] = [];
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
      return Buffer.concat(chunks);
    }
  }
  throw new Error('the archive has no module');
}
