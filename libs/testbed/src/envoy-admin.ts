import { type GetOptions, getJson, getText } from './http.ts';

/** Resources as Envoy holds them, protobuf JSON with the names of the .proto files. */
export interface ConfigDump {
  readonly clusters: DumpedResources;
  readonly listeners: DumpedResources;
  readonly routes: DumpedResources;
}

/** By name; `active` is in use, `warming` waits for something. */
export interface DumpedResources {
  readonly active: ReadonlyMap<string, unknown>;
  readonly warming: ReadonlyMap<string, unknown>;
  /** Resources that Envoy refused, with what it says. */
  readonly errors: ReadonlyMap<string, string>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Envoy's admin interface, on a port of loopback or on a Unix socket. */
export class EnvoyAdmin {
  readonly url: string;
  readonly #options: GetOptions;

  constructor(at: number | { readonly socketPath: string }) {
    this.url = `http://127.0.0.1${typeof at === 'number' ? `:${at}` : ''}`;
    this.#options = typeof at === 'number' ? {} : at;
  }

  /** Counters and gauges whose names match, in their order. */
  async stats(filter: string): Promise<ReadonlyMap<string, number>> {
    const text = await getText(`${this.url}/stats?filter=${encodeURIComponent(filter)}`, this.#options);
    const pairs = text.split('\n').flatMap((line) => {
      const at = line.lastIndexOf(': ');
      return at < 0 ? [] : [[line.slice(0, at), Number(line.slice(at + 2))] as const];
    });
    return new Map(pairs);
  }

  /** One counter or gauge; 0 where Envoy hasn't got it. */
  async stat(name: string): Promise<number> {
    return (await this.stats(`^${name.replace(/\W/g, '\\$&')}$`)).get(name) ?? 0;
  }

  /** What came by xDS. */
  async configDump(): Promise<ConfigDump> {
    const { configs } = (await getJson(`${this.url}/config_dump`, this.#options)) as {
      readonly configs: readonly Fields[];
    };
    const of = (type: string): Fields => configs.find((config) => String(config['@type']).endsWith(`.${type}`)) ?? {};
    const clusters = of('ClustersConfigDump');
    const listeners = of('ListenersConfigDump').dynamic_listeners;
    const routes = of('RoutesConfigDump').dynamic_route_configs;
    return {
      clusters: {
        active: byName(clusters.dynamic_active_clusters, ['cluster']),
        warming: byName(clusters.dynamic_warming_clusters, ['cluster']),
        errors: errorsOf(clusters.dynamic_active_clusters, ['cluster']),
      },
      listeners: {
        active: byName(listeners, ['active_state', 'listener']),
        warming: byName(listeners, ['warming_state', 'listener']),
        errors: errorsOf(listeners, ['active_state', 'listener']),
      },
      routes: {
        active: byName(routes, ['route_config']),
        warming: new Map(),
        errors: errorsOf(routes, ['route_config']),
      },
    };
  }
}

function byName(list: unknown, path: readonly string[]): ReadonlyMap<string, unknown> {
  return new Map(
    entriesOf(list).flatMap((entry) => {
      const resource = at(entry, path);
      return resource ? [[String(resource.name), resource] as const] : [];
    }),
  );
}

function errorsOf(list: unknown, path: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    entriesOf(list).flatMap((entry) => {
      const details = at(entry, ['error_state'])?.details;
      const name = entry.name ?? at(entry, path)?.name;
      return details === undefined ? [] : [[String(name), String(details)] as const];
    }),
  );
}

const entriesOf = (list: unknown): readonly Fields[] => (Array.isArray(list) ? (list as readonly Fields[]) : []);

function at(fields: Fields, path: readonly string[]): Fields | undefined {
  let value: Fields | undefined = fields;
  for (const name of path) value = value?.[name] as Fields | undefined;
  return value;
}
