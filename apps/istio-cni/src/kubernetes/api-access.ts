import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** How to reach an API server, and as whom. */
export interface ApiAccess {
  readonly server: string;
  /** The certificates to trust, in PEM; those of the system if not given. */
  readonly authority?: string;
  readonly skipTlsVerify?: boolean;
  readonly serverName?: string;
  readonly token?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a kubeconfig's current context: the server, its authority, and a token or client certificate. Programs that give
 * credentials (`exec`) are not run.
 *
 * @throws Error that says what is missing
 */
export async function readKubeconfig(file: string): Promise<ApiAccess> {
  const config = await parseDocument(await readFile(file, 'utf8'), file);
  const named = (list: string, name: unknown, part: string): Json => {
    const found = (Array.isArray(config[list]) ? (config[list] as readonly Json[]) : []).find(
      (each) => each.name === name,
    );
    if (found === undefined) throw new Error(`${file}: there is no ${part} "${String(name)}"`);
    return (found[part] ?? {}) as Json;
  };
  const context = named('contexts', config['current-context'], 'context');
  const cluster = named('clusters', context.cluster, 'cluster');
  const user = named('users', context.user, 'user');
  if (typeof cluster.server !== 'string') throw new Error(`${file}: the cluster has no server`);
  if (user.exec !== undefined) throw new Error(`${file}: credentials from a program ("exec") are not supported`);

  const content = async (of: Json, name: string): Promise<string | undefined> => {
    const data = of[`${name}-data`];
    if (typeof data === 'string') return Buffer.from(data, 'base64').toString();
    const path = of[name];
    return typeof path === 'string' ? await readFile(resolve(file, '..', path), 'utf8') : undefined;
  };
  const tokenFile = typeof user.tokenFile === 'string' ? await readFile(user.tokenFile, 'utf8') : undefined;
  return {
    server: cluster.server,
    authority: await content(cluster, 'certificate-authority'),
    skipTlsVerify: cluster['insecure-skip-tls-verify'] === true,
    serverName: typeof cluster['tls-server-name'] === 'string' ? cluster['tls-server-name'] : undefined,
    token: (typeof user.token === 'string' ? user.token : tokenFile)?.trim(),
    clientCertificate: await content(user, 'client-certificate'),
    clientKey: await content(user, 'client-key'),
  };
}

async function parseDocument(text: string, file: string): Promise<Json> {
  const value = await parseText(text).catch(() => undefined);
  if (typeof value !== 'object' || value === null) throw new Error(`${file} is not a kubeconfig`);
  return value as Json;
}

/** The agent writes JSON, which is YAML too and read faster; a file from elsewhere may be any YAML. */
async function parseText(text: string): Promise<unknown> {
  if (text.trimStart().startsWith('{')) return JSON.parse(text) as unknown;
  const { parse } = await import('yaml');
  return parse(text) as unknown;
}

/** The address of the API server as pods are told it. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: string;
  readonly protocol: string;
}

export function serverUrl({ host, port, protocol }: ServiceAddress): string {
  return `${protocol || 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** As a service account; its token is renewed in place, so this is asked anew for each request. */
export async function serviceAccountAccess(folder: string, address: ServiceAddress): Promise<ApiAccess> {
  const read = (name: string) => readFile(resolve(folder, name), 'utf8');
  const [token, authority] = await Promise.all([read('token'), read('ca.crt')]);
  return { server: serverUrl(address), authority, token: token.trim() };
}
