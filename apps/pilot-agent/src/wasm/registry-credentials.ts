/** Of a registry. */
export interface RegistryCredentials {
  readonly user?: string;
  readonly password?: string;
  /** A token that stands for them. */
  readonly token?: string;
}

interface DockerAuth {
  readonly auth?: string;
  readonly username?: string;
  readonly password?: string;
  readonly registrytoken?: string;
}

const dockerHub = 'index.docker.io';
const dockerHubKey = 'https://index.docker.io/v1/';

/**
 * Those of a registry in a Docker configuration, such as an image pull secret holds (`.dockerconfigjson`).
 * @throws Error where the text is none.
 */
export function credentialsFor(registry: string, dockerConfig: string): RegistryCredentials {
  let value: unknown;
  try {
    value = JSON.parse(dockerConfig);
  } catch {
    // The parser's message would show a part of the secret.
    throw new Error('the pull secret is not JSON');
  }
  const { auths = {} } = (value ?? {}) as { readonly auths?: Readonly<Record<string, DockerAuth>> };
  const keys = registry === dockerHub ? [dockerHubKey, dockerHub, 'docker.io'] : [registry];
  const wanted = keys.map(hostOf);
  const found = Object.entries(auths).find(([key]) => keys.includes(key) || wanted.includes(hostOf(key)))?.[1];
  if (!found) return {};
  const { auth = '', username, password, registrytoken } = found;
  const [user = '', ...rest] = Buffer.from(auth, 'base64').toString().split(':');
  return {
    ...(registrytoken && { token: registrytoken }),
    ...((username ?? user) && { user: username ?? user, password: password ?? rest.join(':') }),
  };
}

/** Keys are hosts, or URLs in older files. */
const hostOf = (key: string): string => key.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
