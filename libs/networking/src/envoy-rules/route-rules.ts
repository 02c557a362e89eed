import type { FurtherRules, Messages } from '@kedge/envoy-api';
import type { Finding } from '../guard.ts';
import { atMostOne, exactlyOne, finding, repeated } from './finding.ts';

/** As long as the body of a direct response may be. Envoy's own limit is 4 KiB. */
export const MAX_DIRECT_RESPONSE_BYTES = 1024 * 1024;
const MAX_TOTAL_WEIGHT = 0xffff_ffff;

interface RemovesHeaders {
  readonly requestHeadersToRemove?: readonly string[];
}

/** Without its host or path a request goes nowhere. */
const removals = ({ requestHeadersToRemove: names = [] }: RemovesHeaders): readonly Finding[] =>
  finding(
    names.some((name) => name.startsWith(':') || name.toLowerCase() === 'host'),
    'requestHeadersToRemove',
    'the host and names that begin with ":" stay',
  );

export const routeRules: FurtherRules = {
  'envoy.config.route.v3.RouteConfiguration': removals,
  'envoy.config.route.v3.VirtualHost': (host) => [
    ...removals(host),
    ...repeated(host, 'domains', (domain) => domain.toLowerCase()),
  ],
  'envoy.config.route.v3.Route': removals,
  'envoy.config.route.v3.RouteAction': (action) => [
    ...atMostOne(action, ['prefixRewrite', 'regexRewrite', 'pathRewritePolicy']),
    ...repeated(action, 'upgradeConfigs', ({ upgradeType = '' }) => upgradeType.toLowerCase()),
  ],
  'envoy.config.route.v3.RouteAction.RequestMirrorPolicy': (policy) => exactlyOne(policy, ['cluster', 'clusterHeader']),
  'envoy.config.route.v3.VirtualCluster': ({ headers = [] }) => finding(headers.length === 0, 'headers', 'must be set'),
  'envoy.config.route.v3.DirectResponseAction': ({ body }) =>
    finding(bodyBytes(body) > MAX_DIRECT_RESPONSE_BYTES, 'body', 'is too long'),
  'envoy.config.route.v3.WeightedCluster': ({ clusters = [] }) => {
    const weight = clusters.reduce((sum, cluster) => sum + (cluster.weight ?? 0), 0);
    return [
      ...finding(weight === 0, 'clusters', 'none has a weight'),
      ...finding(weight > MAX_TOTAL_WEIGHT, 'clusters', 'the weights are too large together'),
    ];
  },
  'envoy.config.route.v3.WeightedCluster.ClusterWeight': (cluster) => [
    ...removals(cluster),
    ...exactlyOne(cluster, ['name', 'clusterHeader']),
  ],
  'envoy.config.route.v3.RetryPolicy.RetryBackOff': ({ baseInterval = '', maxInterval }) =>
    finding(
      maxInterval !== undefined && Number.parseFloat(maxInterval) < Number.parseFloat(baseInterval),
      'maxInterval',
      `must be at least ${baseInterval}`,
    ),
};

function bodyBytes(body: Messages['envoy.config.core.v3.DataSource'] = {}): number {
  return Buffer.byteLength(body.inlineString ?? '') + Buffer.byteLength(body.inlineBytes ?? '', 'base64');
}
