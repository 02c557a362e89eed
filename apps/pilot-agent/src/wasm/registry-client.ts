import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { type Download, download, type DownloadOptions } from './download.ts';
import type { RegistryCredentials } from './registry-credentials.ts';

/** Media types of what a reference may name (OCI image specification, Docker image manifest version 2). */
export const mediaTypes = {
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  dockerIndex: 'application/vnd.docker.distribution.manifest.list.v2+json',
  ociManifest: 'application/vnd.oci.image.manifest.v1+json',
  ociIndex: 'application/vnd.oci.image.index.v1+json',
} as const;

export interface Descriptor {
  readonly mediaType?: string;
  readonly digest: string;
  readonly platform?: { readonly os?: string; readonly architecture?: string };
}

export interface Manifest {
  readonly mediaType?: string;
  readonly layers?: readonly Descriptor[];
  /** Of an index. */
  readonly manifests?: readonly Descriptor[];
}

export interface RegistryClientOptions extends Omit<DownloadOptions, 'headers'> {
  /** Host, and port if there is one. */
  readonly registry: string;
  readonly repository: string;
  readonly credentials: RegistryCredentials;
}

/** Reads one repository of a registry (OCI distribution specification). Everything read is checked against its digest. */
export class RegistryClient {
  readonly #options: RegistryClientOptions;
  readonly #isLocal: boolean;
  #scheme: 'http' | 'https';
  #authorization: string | undefined;

  constructor(options: RegistryClientOptions) {
    this.#options = options;
    // A registry on this host is not expected to have certificates.
    this.#isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(options.registry);
    this.#scheme = this.#isLocal ? 'http' : 'https';
  }

  get #base(): string {
    return `${this.#scheme}://${this.#options.registry}/v2/${this.#options.repository}`;
  }

  /** In plain text only a registry that was allowed to be insecure is told who calls. */
  get #credentials(): RegistryCredentials {
    const { credentials, insecure } = this.#options;
    return this.#scheme === 'https' || this.#isLocal || insecure ? credentials : {};
  }

  /** A manifest by tag or digest, with its digest in hexadecimal. */
  async manifest(reference: string): Promise<{ readonly manifest: Manifest; readonly digest: string }> {
    const accept = Object.values(mediaTypes).join(', ');
    const { body, headers } = await this.#get(`manifests/${reference}`, { accept });
    const digest = createHash('sha256').update(body).digest('hex');
    if (reference.startsWith('sha256:') && reference !== `sha256:${digest}`) {
      throw new Error(`the manifest is not ${reference} but sha256:${digest}`);
    }
    const manifest = JSON.parse(body.toString()) as Manifest;
    const mediaType = manifest.mediaType ?? headers['content-type']?.split(';')[0];
    return { manifest: { ...manifest, ...(mediaType && { mediaType }) }, digest };
  }

  async blob(digest: string): Promise<Buffer> {
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`"${digest}" is no digest`);
    const { body } = await this.#get(`blobs/${digest}`, {});
    const actual = createHash('sha256').update(body).digest('hex');
    if (digest !== `sha256:${actual}`) throw new Error(`a layer is not ${digest} but sha256:${actual}`);
    return body;
  }

  async #get(path: string, headers: Readonly<Record<string, string>>): Promise<Download> {
    const attempt = () => this.#download(`${this.#base}/${path}`, headers, this.#authorization);
    const { token } = this.#credentials;
    if (token) this.#authorization ??= `Bearer ${token}`;
    let answer: Download;
    try {
      answer = await attempt();
    } catch (error) {
      if (this.#scheme === 'http' || !isPlainTextServer(error)) throw error;
      this.#scheme = 'http';
      this.#authorization = undefined;
      answer = await attempt();
    }
    if (answer.status === 401) {
      this.#authorization = await this.#authorize(String(answer.headers['www-authenticate'] ?? ''));
      answer = await attempt();
    }
    if (answer.status !== 200) throw new Error(`the registry answers ${path} with ${answer.status}`);
    return answer;
  }

  #download(url: string, headers: Readonly<Record<string, string>>, authorization?: string): Promise<Download> {
    return download(url, { ...this.#options, headers: { ...headers, ...(authorization && { authorization }) } });
  }

  /** What a registry that asks who calls is answered. */
  async #authorize(challenge: string): Promise<string> {
    const { user, password = '' } = this.#credentials;
    const basic = user === undefined ? undefined : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    if (/^basic\b/i.test(challenge)) {
      if (basic === undefined) throw new Error('the registry asks for credentials, and there are none');
      return basic;
    }
    const parameter = (name: string) => new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(challenge)?.[1];
    const realm = parameter('realm');
    if (!/^bearer\b/i.test(challenge) || !realm) throw new Error('the registry refuses access');
    const url = this.#tokenUrl(realm);
    for (const name of ['service', 'scope']) {
      const value = parameter(name);
      if (value) url.searchParams.set(name, value);
    }
    const { status, body } = await this.#download(url.href, {}, basic);
    if (status !== 200) throw new Error(`the registry gives no token: ${status}`);
    const answer = JSON.parse(body.toString()) as { readonly token?: string; readonly access_token?: string };
    const token = answer.token ?? answer.access_token;
    if (!token) throw new Error('the registry gives an empty token');
    return `Bearer ${token}`;
  }

  /** The registry tells where tokens are; it must not send the agent with its credentials to what only the agent reaches. */
  #tokenUrl(realm: string): URL {
    const url = URL.parse(realm);
    const own = new URL(this.#base);
    if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`the registry's realm "${realm}" is no URL`);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isInside = host === 'localhost' || host.endsWith('.internal') || isIP(host) !== 0;
    if (url.hostname !== own.hostname && isInside) throw new Error(`the registry's realm ${host} is refused`);
    return url;
  }
}

/** Whether TLS failed because the server doesn't speak it, as registries in a cluster often don't. */
function isPlainTextServer(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return code === 'EPROTO' || code.startsWith('ERR_SSL_');
}
