/** Where the application tells its metrics. */
export interface ScrapeTarget {
  readonly port: number;
  /** With its query. */
  readonly path: string;
}

const source = 'ISTIO_PROMETHEUS_ANNOTATIONS';
const defaultPath = '/metrics';
const defaultPort = '80';

/** Ports of the proxy; what they tell is merged already, or is nobody's metrics. */
const reservedPorts: Readonly<Record<number, string>> = {
  15000: "Envoy's admin interface",
  15001: 'outbound traffic',
  15004: 'debugging of the control plane',
  15006: 'inbound traffic',
  15008: 'tunnels',
  15020: 'the agent',
  15021: 'health',
  15053: 'DNS',
  15090: "Envoy's metrics",
};

/**
 * What the application's annotations for Prometheus ask for, as injection wrote them down; nothing where they don't.
 * @throws Error for a port that is none, or is the proxy's.
 */
export function parseScrapeTargets(text: string, statusPort: number): readonly ScrapeTarget[] {
  if (text === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${source} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { scrape, port = '', path = '', targets } = fields(value);
  if (scrape === 'false') return [];
  const listed =
    Array.isArray(targets) && targets.length > 0 ? targets.map(fields) : [{ port: port || defaultPort, path }];
  return listed.map((target) => ({
    port: portOf(target.port, statusPort),
    path: typeof target.path === 'string' && target.path !== '' ? target.path : defaultPath,
  }));
}

function portOf(value: unknown, statusPort: number): number {
  const text = String(value);
  const port = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new Error(`${source}: "${text}" is no port`);
  if (port === statusPort)
    throw new Error(`${source}: port ${port} is the agent's own, which would ask itself forever`);
  const owner = reservedPorts[port];
  if (owner !== undefined) throw new Error(`${source}: port ${port} is that of ${owner}`);
  return port;
}

interface Fields {
  readonly scrape?: unknown;
  readonly port?: unknown;
  readonly path?: unknown;
  readonly targets?: unknown;
}

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? value : {});
