/** Where a Wasm module is. */
export type ModuleLocation =
  | { readonly kind: 'http'; readonly url: string }
  | {
      readonly kind: 'oci';
      /** Host, and port if there is one. */
      readonly registry: string;
      readonly repository: string;
      /** A tag, or `sha256:` with a digest. */
      readonly reference: string;
    };

const dockerHub = 'index.docker.io';
const dockerHubAliases: ReadonlySet<string> = new Set(['docker.io', dockerHub]);
const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** @throws Error for a URL of another scheme, or an image that is none. */
export function parseLocation(url: string): ModuleLocation {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return { kind: 'http', url };
  if (!url.startsWith('oci://')) throw new Error(`"${url}" is no URL of a Wasm module: http, https or oci is needed`);
  const image = url.slice('oci://'.length);
  const [named = '', digest] = image.split('@', 2);
  if (digest !== undefined && !digestPattern.test(digest)) throw new Error(`"${image}" has a digest that is none`);
  const [, path = '', tag] = /^(.*?)(?::([\w][\w.-]{0,127}))?$/.exec(named.slice(named.indexOf('/') + 1)) ?? [];
  const host = named.includes('/') ? named.slice(0, named.indexOf('/')) : '';
  const hasHost = /[.:]/.test(host) || host === 'localhost';
  const repository = hasHost || host === '' ? path : `${host}/${path}`;
  if (!/^[a-z0-9]+([._/-]+[a-z0-9]+)*$/.test(repository)) throw new Error(`"${image}" is no image`);
  const isHub = !hasHost || dockerHubAliases.has(host);
  return {
    kind: 'oci',
    registry: isHub ? dockerHub : host,
    repository: isHub && !repository.includes('/') ? `library/${repository}` : repository,
    reference: digest ?? tag ?? 'latest',
  };
}

/** What a module is called whatever its version: an image without tag and digest. */
export function moduleName(location: ModuleLocation): string {
  return location.kind === 'http' ? location.url : `oci://${location.registry}/${location.repository}`;
}

/** The digest in hexadecimal where the location names one. */
export function pinnedDigest(location: ModuleLocation): string | undefined {
  const pinned = location.kind === 'oci' && digestPattern.test(location.reference);
  return pinned ? location.reference.slice('sha256:'.length) : undefined;
}
