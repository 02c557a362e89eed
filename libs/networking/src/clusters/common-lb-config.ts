import type { MeshRead } from '@kedge/config';
import type { Cluster } from '@kedge/envoy-api';
import type { Service } from '@kedge/model';
import { features, nodeType } from '@kedge/pushcontext';
import type { LocalitySettings } from '../endpoints/locality-settings.ts';
import { forcesUnhealthy, keepsSessions, mayHaveUnhealthy } from '../endpoints/unhealthy-endpoints.ts';
import type { OutboundInput } from './outbound-input.ts';
import type { PortPolicy } from './traffic-policy.ts';

type CommonLbConfig = NonNullable<Cluster['commonLbConfig']>;

/** What the choice of endpoints takes into account, whatever the algorithm: health, locality, and sessions that go on. */
export function commonLbConfig(
  read: MeshRead,
  { target, service, policy }: Pick<OutboundInput, 'target' | 'service' | 'policy'>,
  settings: LocalitySettings,
): Cluster {
  // Sessions are kept by whoever chooses a server of the whole service: not by what passes mutual TLS on.
  const keepsServer = target.subset === '' && target.form !== 'sni';
  return {
    commonLbConfig: {
      ...panicThreshold(read, service, policy),
      ...localityConfig(read, settings, policy.outlierDetection !== undefined),
      ...(keepsServer && keepsSessions(service, features(read))
        ? { overrideHostStatus: { statuses: SESSION_HEALTH } }
        : {}),
    },
  };
}

/** Endpoints of these states serve the sessions that they have; draining ones take no others. */
const SESSION_HEALTH = ['HEALTHY', 'DRAINING', 'UNKNOWN', 'DEGRADED'] as const;

/** The share of healthy endpoints below which Envoy would use all: never, where unready ones are among them. */
function panicThreshold(read: MeshRead, service: Service, { outlierDetection }: PortPolicy): CommonLbConfig {
  const switches = features(read);
  const minimum = outlierDetection ? (outlierDetection.minHealthPercent ?? 0) : -1;
  if (minimum >= 0) {
    return { healthyPanicThreshold: forcesUnhealthy(service, switches) || minimum === 0 ? {} : { value: minimum } };
  }
  return mayHaveUnhealthy(service, switches) ? { healthyPanicThreshold: {} } : {};
}

function localityConfig(read: MeshRead, settings: LocalitySettings, detectsOutliers: boolean): CommonLbConfig {
  const weighted: CommonLbConfig = { localityWeightedLbConfig: {} };
  const always = features(read).localityWeightedLbConfig ? weighted : {};
  switch (settings.kind) {
    case 'off':
      return always;
    case 'locality': {
      const { distribute, failover, failoverPriority } = settings.setting;
      const failsOver = (detectsOutliers || settings.always) && (failover.length > 0 || failoverPriority.length > 0);
      return failsOver || distribute.length > 0 ? weighted : always;
    }
    case 'zone-aware': {
      if (read.fact(nodeType) === 'waypoint') return always;
      const { enabled = true, minClusterSize } = settings.setting;
      return {
        zoneAwareLbConfig: {
          ...(enabled ? {} : { routingEnabled: {} }),
          ...(minClusterSize === undefined ? {} : { minClusterSize: String(minClusterSize) }),
        },
      };
    }
  }
}
