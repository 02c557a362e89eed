/** A probe of the application, in the words of Kubernetes. One of the three kinds is there. */
export interface AppProber {
  readonly httpGet?: { readonly path: string; readonly port: number; readonly scheme: 'http' | 'https' };
  readonly tcpSocket?: { readonly port: number };
  readonly grpc?: { readonly port: number; readonly service: string };
  readonly timeoutMs: number;
}

const source = 'ISTIO_KUBE_APP_PROBERS';
const pathPattern = /^\/(app-health|app-lifecycle)\/[^/]+\/(livez|readyz|startupz|prestopz|poststartz)$/;
const kinds = ['httpGet', 'tcpSocket', 'grpc'] as const;

/**
 * The probes by the path that the kubelet calls instead, out of what injection wrote.
 * @throws Error naming the path whose probe is not usable.
 */
export function parseAppProbers(text: string): ReadonlyMap<string, AppProber> {
  if (text === '') return new Map();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${source} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObject(value)) throw new Error(`${source} is no JSON object`);
  return new Map(Object.entries(value).map(([path, prober]) => [path, parseProber(path, prober)]));
}

function parseProber(path: string, value: unknown): AppProber {
  const fail = (why: string): never => {
    throw new Error(`${source} ${path}: ${why}`);
  };
  if (!pathPattern.test(path)) return fail('it is no path of a probe');
  if (!isObject(value)) return fail('it is no JSON object');
  const present = kinds.filter((kind) => isObject(value[kind]));
  if (present.length !== 1) return fail(`exactly one of ${kinds.join(', ')} is needed`);
  const action = value[present[0]!] as Readonly<Record<string, unknown>>;
  const { port, path: appPath = '', scheme = '', service = '' } = action;
  if (!isPort(port)) return fail('the port is no number of a port');
  if (typeof appPath !== 'string' || typeof scheme !== 'string' || (service !== null && typeof service !== 'string')) {
    return fail('path, scheme and service are texts');
  }
  const seconds = value['timeoutSeconds'];
  // Where it isn't set, the kubelet itself waits for a second.
  const timeoutMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : 1000;
  switch (present[0]!) {
    case 'httpGet': {
      const rooted = appPath.startsWith('/') ? appPath : `/${appPath}`;
      return { httpGet: { path: rooted, port, scheme: scheme === 'HTTPS' ? 'https' : 'http' }, timeoutMs };
    }
    case 'tcpSocket':
      return { tcpSocket: { port }, timeoutMs };
    case 'grpc':
      return { grpc: { port, service: service ?? '' }, timeoutMs };
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
