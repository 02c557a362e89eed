import type { ProxyConfig } from '@kedge/model';

const connectionLimitRuntimeKey = 'overload.global_downstream_max_connections';
const connectionLimitMetadata = 'ISTIO_META_GLOBAL_DOWNSTREAM_MAX_CONNECTIONS';
const unlimited = 2 ** 31 - 1;

export interface RuntimeOptions {
  /** `fips-140-2` limits the gRPC client to TLS 1.2. */
  readonly compliancePolicy: string;
  /** Whether a fragment in a request's path is cut off, instead of the request being refused. */
  readonly stripFragment: boolean;
}

/** Envoy's runtime flags; those of the ProxyConfig win, and an empty value there restores Envoy's own default. */
export function runtimeFlags(config: ProxyConfig, options: RuntimeOptions): Readonly<Record<string, string | boolean>> {
  const flags: Record<string, string | boolean> = {
    're2.max_program_size.error_level': '32768',
    'envoy.deprecated_features:envoy.config.listener.v3.Listener.hidden_envoy_deprecated_use_original_dst': true,
    'envoy.reloadable_features.http_reject_path_with_fragment': false,
    'envoy.reloadable_features.fixed_heap_use_allocated': true,
    // Rebuilding load balancers once a batch loses updates: envoyproxy/envoy#45212.
    'envoy.reloadable_features.coalesce_lb_rebuilds_on_batch_update': false,
  };
  if (options.compliancePolicy === 'fips-140-2') flags['envoy.reloadable_features.google_grpc_disable_tls_13'] = true;
  if (!options.stripFragment) {
    flags['envoy.reloadable_features.http_strip_fragment_from_path_unsafe_if_disabled'] = 'false';
  }
  const given = Object.entries(config.runtimeValues ?? {});
  const unset = new Set(given.filter(([, value]) => value === '').map(([name]) => name));
  const set = given.map(
    ([name, value]) => [name, value === 'true' || value === 'false' ? value === 'true' : value] as const,
  );
  return Object.fromEntries([...Object.entries(flags), ...set].filter(([name]) => !unset.has(name)));
}

/** The limit of downstream connections of the whole proxy: connection settings, then proxy metadata, then the runtime key. */
export function downstreamConnectionLimit(config: ProxyConfig): number {
  const setting = config.connectionSettings?.globalDownstreamConnectionLimit;
  if (setting !== undefined && setting > 0) return setting;
  return (
    integer(config.proxyMetadata?.[connectionLimitMetadata]) ??
    integer(config.runtimeValues?.[connectionLimitRuntimeKey]) ??
    unlimited
  );
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}
