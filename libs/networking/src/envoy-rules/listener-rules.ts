import { isIP } from 'node:net';
import type { FurtherRules, Messages } from '@kedge/envoy-api';
import { isSocketPath } from '../address.ts';
import type { Finding } from '../guard.ts';
import { atMostOne, exactlyOne, finding, repeated } from './finding.ts';

const MIN_FILL_SECONDS = 0.05;

/** Names with a star that stands for the first labels, or none. */
const isServerName = (name: string): boolean => !name.replace(/^\*\./, '').includes('*');

/** Whether an address is a name that would have to be resolved. */
const isNamed = (address: Messages['envoy.config.core.v3.Address'] | undefined): boolean =>
  address?.socketAddress !== undefined && isIP(address.socketAddress.address ?? '') === 0;

interface RateLimit {
  readonly tokenBucket?: Messages['envoy.type.v3.TokenBucket'];
}

const localRateLimit = ({ tokenBucket: { fillInterval } = {} }: RateLimit): readonly Finding[] =>
  finding(Number.parseFloat(fillInterval ?? '1s') < MIN_FILL_SECONDS, 'tokenBucket', 'must be filled in 50 ms or more');

interface Extension {
  readonly typedConfig?: unknown;
  readonly configDiscovery?: unknown;
  readonly isOptional?: boolean;
}

/** Extensions are found by the type of their settings, not by their names. */
const extension = ({ typedConfig, configDiscovery, isOptional }: Extension): readonly Finding[] =>
  finding(!typedConfig && !configDiscovery && !isOptional, 'typedConfig', 'must be set');

export const listenerRules: FurtherRules = {
  'envoy.config.accesslog.v3.AccessLog': extension,
  'envoy.config.core.v3.TransportSocket': extension,
  'envoy.config.route.v3.RetryPolicy.RetryPriority': extension,
  'envoy.config.trace.v3.Tracing.Http': extension,
  'envoy.config.listener.v3.Filter': extension,
  'envoy.config.listener.v3.ListenerFilter': extension,
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter': extension,
  'envoy.config.core.v3.Pipe': ({ path = '' }) => finding(!isSocketPath(path), 'path', 'is too long for a socket'),
  'envoy.config.core.v3.CidrRange': ({ addressPrefix = '' }) =>
    finding(isIP(addressPrefix) === 0, 'addressPrefix', 'must be an IP address'),
  'envoy.config.listener.v3.Listener': ({ address, additionalAddresses = [], internalListener, apiListener }) => [
    ...finding(!address && !internalListener && !apiListener, 'address', 'must be set'),
    ...finding(
      [address, ...additionalAddresses.map((other) => other.address)].some(isNamed),
      'address',
      'must be an IP address',
    ),
  ],
  'envoy.config.listener.v3.FilterChainMatch': ({ serverNames = [], addressSuffix, suffixLen }) => [
    ...finding(!serverNames.every(isServerName), 'serverNames', 'a star can only stand for the first labels'),
    ...finding(Boolean(addressSuffix) || suffixLen !== undefined, 'addressSuffix', 'is not implemented'),
  ],
  'envoy.extensions.transport_sockets.tls.v3.CommonTlsContext': ({ validationContext: context = {} }) =>
    finding(
      Boolean(context.matchTypedSubjectAltNames?.length || context.matchSubjectAltNames?.length) &&
        !context.trustedCa &&
        !context.caCertificateProviderInstance,
      'validationContext',
      'names without an authority prove nothing',
    ),
  'envoy.extensions.wasm.v3.PluginConfig': ({ vmConfig }) =>
    finding(vmConfig !== undefined && !vmConfig.code, 'vmConfig', 'has no code'),
  'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext': ({ commonTlsContext = {} }) =>
    finding(
      !commonTlsContext.tlsCertificates?.length &&
        !commonTlsContext.tlsCertificateSdsSecretConfigs?.length &&
        commonTlsContext.tlsCertificateProviderInstance === undefined &&
        commonTlsContext.customTlsCertificateSelector === undefined,
      'commonTlsContext',
      'has no certificate',
    ),
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager': (manager) => [
    ...atMostOne(manager, ['stripAnyHostPort', 'stripMatchingHostPort']),
    ...repeated(manager, 'upgradeConfigs', ({ upgradeType = '' }) => upgradeType.toLowerCase()),
    ...finding(
      Boolean(manager.originalIpDetectionExtensions?.length) &&
        (manager.useRemoteAddress === true || Boolean(manager.xffNumTrustedHops)),
      'originalIpDetectionExtensions',
      'cannot be beside useRemoteAddress or xffNumTrustedHops',
    ),
  ],
  'envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit': localRateLimit,
  'envoy.extensions.filters.network.local_ratelimit.v3.LocalRateLimit': localRateLimit,
  'envoy.extensions.filters.listener.local_ratelimit.v3.LocalRateLimit': localRateLimit,
  'envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor': (processor) =>
    exactlyOne(processor, ['grpcService', 'httpService']),
  'envoy.config.trace.v3.ZipkinConfig': ({ collectorEndpointVersion = 0 }) =>
    finding(collectorEndpointVersion === 0, 'collectorEndpointVersion', 'must be set'),
};
