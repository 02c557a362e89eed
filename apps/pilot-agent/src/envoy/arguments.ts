import { isIPv6 } from 'node:net';

export interface EnvoyArguments {
  readonly configFile: string;
  /** A bootstrap that is merged over the file, as JSON. */
  readonly configOverride?: string;
  /** Level, and levels of components: `warning,misc:error,upstream:debug`. */
  readonly logLevel: string;
  /** Levels of components by the older flag; counts where `logLevel` has none. */
  readonly componentLogLevel: string;
  readonly drainMs: number;
  readonly instanceIps: readonly string[];
  readonly fileFlushIntervalMs: number;
  readonly fileFlushMinSizeKb: number;
  readonly skipDeprecatedLogs: boolean;
  readonly coreDump: boolean;
  /** Worker threads; 0 is one a core. */
  readonly concurrency: number;
}

/** Envoy's command line. Hot restart is off, so that any number of proxies can share a host. */
export function envoyArguments(options: EnvoyArguments): readonly string[] {
  const levels = options.logLevel.split(',').filter(Boolean);
  const level = levels.findLast((item) => !item.includes(':'));
  const components = levels.filter((item) => item.includes(':')).join(',') || options.componentLogLevel;
  const onlyV6 = options.instanceIps.length > 0 && options.instanceIps.every((ip) => isIPv6(ip));
  return [
    ['-c', options.configFile],
    ['--drain-time-s', `${Math.trunc(options.drainMs / 1000)}`],
    ['--drain-strategy', 'immediate'],
    ['--local-address-ip-version', onlyV6 ? 'v6' : 'v4'],
    ['--file-flush-interval-msec', `${options.fileFlushIntervalMs}`],
    ['--disable-hot-restart'],
    ['--allow-unknown-static-fields'],
    options.fileFlushMinSizeKb > 0 ? ['--file-flush-min-size-kb', `${options.fileFlushMinSizeKb}`] : [],
    level ? ['-l', level] : [],
    components ? ['--component-log-level', components] : [],
    options.skipDeprecatedLogs ? ['--skip-deprecated-logs'] : [],
    options.coreDump ? ['--enable-core-dump'] : [],
    options.configOverride ? ['--config-yaml', options.configOverride] : [],
    options.concurrency > 0 ? ['--concurrency', `${options.concurrency}`] : [],
  ].flat();
}
