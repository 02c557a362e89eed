import { hash } from 'node:crypto';
import type { Node } from '@kedge/envoy-api';

/** Names the build of a proxy by version and extensions: proxies of one build take and refuse the same. */
export function envoyClass({
  userAgentName = '',
  userAgentVersion,
  userAgentBuildVersion,
  metadata,
  extensions = [],
}: Node): string {
  const { majorNumber = 0, minorNumber = 0, patch = 0 } = userAgentBuildVersion?.version ?? {};
  const build = userAgentBuildVersion ? `${majorNumber}.${minorNumber}.${patch}` : (userAgentVersion ?? '');
  const names = extensions.map(({ category = '', name = '' }) => `${category}/${name}`).sort();
  const istio = metadata?.['ISTIO_VERSION'];
  return [
    [userAgentName, build].filter(Boolean).join(' ') || 'unknown',
    ...(typeof istio === 'string' && istio ? [`Istio ${istio}`] : []),
    ...(names.length > 0 ? [`extensions ${hash('sha256', names.join('\n')).slice(0, 8)}`] : []),
  ].join(', ');
}
