import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** The least Wasm module: magic number, version, and a custom section that makes it another one. */
export const wasmModule = (name = 'x'): Buffer =>
  Buffer.concat([Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, name.length + 1, name.length]), Buffer.from(name)]);

export async function tarOf(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

type Access = 'open' | 'basic' | 'bearer';

/** A registry of images on loopback, which lets in whoever has the password. */
export class TestRegistry implements AsyncDisposable {
  readonly requests: string[] = [];
  access: Access = 'open';
  /** Where tokens are said to be; absent: here. */
  realm: string | undefined;
  readonly #contents = new Map<string, { readonly type: string; readonly bytes: Buffer }>();
  readonly #server = createServer((request, response) => this.#answer(request, response));
  host = '';

  async start(): Promise<this> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    this.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  /** What a Docker configuration says of this registry. */
  get dockerConfig(): string {
    return JSON.stringify({ auths: { [this.host]: { auth: Buffer.from('me:secret').toString('base64') } } });
  }

  /** Keeps an image and gives the digest of its manifest. */
  push(tag: string, layer: Buffer, layerType: string, manifestType: string): string {
    const digest = `sha256:${sha256(layer)}`;
    this.#contents.set(`blobs/${digest}`, { type: 'application/octet-stream', bytes: layer });
    const manifest = { schemaVersion: 2, mediaType: manifestType, layers: [{ mediaType: layerType, digest }] };
    return this.#keep(tag, Buffer.from(JSON.stringify(manifest)), manifestType);
  }

  pushIndex(tag: string, images: readonly { digest: string; platform: object }[]): void {
    const type = 'application/vnd.oci.image.index.v1+json';
    const manifests = images.map(({ digest, platform }) => ({ digest: `sha256:${digest}`, platform }));
    this.#keep(tag, Buffer.from(JSON.stringify({ schemaVersion: 2, manifests })), type);
  }

  async pushArchive(tag: string, module: Buffer): Promise<string> {
    const layer = gzipSync(await tarOf({ 'README.md': Buffer.from('x'), 'dir/plugin.wasm': module }));
    const manifest = 'application/vnd.oci.image.manifest.v1+json';
    return this.push(tag, layer, 'application/vnd.oci.image.layer.v1.tar+gzip', manifest);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close().closeAllConnections();
    await closed;
  }

  #keep(tag: string, bytes: Buffer, type: string): string {
    const digest = sha256(bytes);
    for (const reference of [tag, `sha256:${digest}`]) this.#contents.set(`manifests/${reference}`, { type, bytes });
    return digest;
  }

  #answer({ url = '', headers: { authorization = '' } }: IncomingMessage, response: ServerResponse): void {
    this.requests.push(url);
    const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`;
    if (url.startsWith('/token')) {
      response.end(JSON.stringify(authorization === basic ? { token: 'letmein' } : {}));
      return;
    }
    const wanted = { open: authorization, basic, bearer: 'Bearer letmein' }[this.access];
    if (authorization !== wanted) {
      const realm = this.realm ?? `http://${this.host}/token`;
      const challenge = this.access === 'basic' ? 'Basic realm="r"' : `Bearer realm="${realm}",service="s",scope="p"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return;
    }
    const found = this.#contents.get(url.replace(/^\/v2\/[^/]+\/[^/]+\//, ''));
    if (!found) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': found.type }).end(found.bytes);
  }
}
