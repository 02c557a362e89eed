import type { MeshRead } from '@kedge/config';
import { type Cluster, type Http1ProtocolOptions, type Messages, packAny } from '@kedge/envoy-api';
import {
  type ConnectionPoolSettings,
  isHttp,
  isHttp2,
  isUndecided,
  type MeshConfig,
  type OutlierDetection,
  type Protocol,
} from '@kedge/model';
import { nodeType, proxyConfig } from '@kedge/pushcontext';
import { commonHttpOptions, http2Options } from './connection-pool.ts';
import { errorMatcher } from './outlier-detection.ts';

export type HttpProtocolOptions = Messages['envoy.extensions.upstreams.http.v3.HttpProtocolOptions'];

/** Which HTTP version a cluster speaks to its endpoints; `default` leaves it to Envoy, which takes HTTP/1.1. */
export type UpstreamVersion = 'default' | 'http1' | 'http2' | 'as-downstream';

const preserveCase: Http1ProtocolOptions = {
  headerKeyFormat: {
    statefulFormatter: {
      name: 'preserve_case',
      typedConfig: {
        '@type':
          'type.googleapis.com/envoy.extensions.http.header_formatters.preserve_case.v3.PreserveCaseFormatterConfig',
      },
    },
  },
};

/** HTTP/1 settings for all connections that the proxy opens. */
function http1Options(read: MeshRead): Http1ProtocolOptions {
  return proxyConfig(read, 'proxyHeaders')?.preserveHttp1HeaderCase ? preserveCase : {};
}

/**
 * The version by the protocol of the port. Sidecars pass on the version that they are addressed with where the protocol was
 * left to detection; gateways don't, for they would offer HTTP/2 to servers that may not speak it.
 */
export function versionByProtocol(read: MeshRead, protocol: Protocol): UpstreamVersion {
  if (isHttp2(protocol)) return 'http2';
  if (isUndecided(protocol) && read.fact(nodeType) !== 'router') return 'as-downstream';
  if (!isHttp(protocol) && !isUndecided(protocol)) return 'default';
  return http1Options(read) === preserveCase ? 'http1' : 'default';
}

/** The version after what the policy of the client says: to upgrade to HTTP/2, or to do as its own client does. */
export function upgradedVersion(
  version: UpstreamVersion,
  protocol: Protocol,
  pool: ConnectionPoolSettings,
  mesh: MeshConfig,
): UpstreamVersion {
  if (pool.http?.useClientProtocol) return 'as-downstream';
  if (version !== 'default') return version;
  const policy = pool.http?.h2UpgradePolicy ?? 'DEFAULT';
  const upgrade = policy === 'DEFAULT' ? isHttp(protocol) && mesh.h2UpgradePolicy === 'UPGRADE' : policy === 'UPGRADE';
  return upgrade ? 'http2' : version;
}

export interface HttpOptionsInput {
  readonly version: UpstreamVersion;
  readonly pool: ConnectionPoolSettings;
  readonly outlierDetection?: OutlierDetection;
  readonly autoSni?: boolean;
  readonly autoSanValidation?: boolean;
}

/** The HTTP options of a cluster; nothing where all is as Envoy does by default. */
export function httpProtocolOptions(read: MeshRead, input: HttpOptionsInput): Cluster {
  const { version, pool, autoSni, autoSanValidation } = input;
  const common = commonHttpOptions(pool);
  const matcher = input.outlierDetection && errorMatcher(input.outlierDetection);
  if (version === 'default' && !common && !matcher && !autoSni && !autoSanValidation) return {};
  return withHttpOptions({
    ...(common ? { commonHttpProtocolOptions: common } : {}),
    ...(autoSni || autoSanValidation
      ? {
          upstreamHttpProtocolOptions: {
            ...(autoSni ? { autoSni } : {}),
            ...(autoSanValidation ? { autoSanValidation } : {}),
          },
        }
      : {}),
    ...versionOptions(read, version, pool),
    ...(matcher ? { outlierDetection: { errorMatcher: matcher } } : {}),
  });
}

function versionOptions(read: MeshRead, version: UpstreamVersion, pool: ConnectionPoolSettings): HttpProtocolOptions {
  switch (version) {
    case 'default':
      return { explicitHttpConfig: { httpProtocolOptions: {} } };
    case 'http1':
      return { explicitHttpConfig: { httpProtocolOptions: http1Options(read) } };
    case 'http2':
      return { explicitHttpConfig: { http2ProtocolOptions: http2Options(pool) } };
    case 'as-downstream':
      return {
        useDownstreamProtocolConfig: { httpProtocolOptions: http1Options(read), http2ProtocolOptions: {} },
      };
  }
}

const OPTIONS_TYPE = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

export function withHttpOptions(options: HttpProtocolOptions): Cluster {
  return { typedExtensionProtocolOptions: { [OPTIONS_TYPE]: packAny(OPTIONS_TYPE, options) } };
}

/** Options of clusters that take over the connection's own version, for traffic whose destination isn't known. */
export function passthroughHttpOptions(read: MeshRead): Cluster {
  return withHttpOptions({
    commonHttpProtocolOptions: { idleTimeout: '300s' },
    ...versionOptions(read, 'as-downstream', {}),
  });
}
