import { type MeshRead, proxyCluster } from '@kedge/config';
import { metadataText, network, nodeType, proxyLabel, workloadLocality } from '@kedge/pushcontext';
import { parseLocality } from '@kedge/model';
import { distribute } from './distribute.ts';
import { labelFailover, localityFailover, type PriorityLabel, regionFailover } from './failover.ts';
import type { LocalityGroup } from './locality-group.ts';
import type { LocalitySettings } from './locality-settings.ts';

/**
 * Weighs and ranks localities as seen from the asking proxy. Where the settings let no difference arise, nothing of the proxy
 * is asked, so that proxies everywhere share the result.
 */
export function applyLocality(
  read: MeshRead,
  groups: readonly LocalityGroup[],
  settings: LocalitySettings,
  detectsOutliers: boolean,
): readonly LocalityGroup[] {
  switch (settings.kind) {
    case 'off':
      return groups;
    case 'locality': {
      const { distribute: shares, failover, failoverPriority } = settings.setting;
      if (shares.length > 0) return distribute(groups, workloadLocality(read), shares);
      // Without outlier detection Envoy would never learn that it must go elsewhere.
      if (!detectsOutliers && !settings.always) return groups;
      if (failoverPriority.length === 0) return localityFailover(groups, workloadLocality(read), failover);
      const ranked = labelFailover(groups, priorityLabels(read, failoverPriority));
      return failover.length > 0 ? localityFailover(ranked, workloadLocality(read), failover) : ranked;
    }
    case 'zone-aware': {
      const { enabled = true, failover, failoverPriority } = settings.setting;
      if (!enabled || read.fact(nodeType) === 'waypoint') return groups;
      const ranked =
        failoverPriority.length > 0 ? labelFailover(groups, priorityLabels(read, failoverPriority)) : groups;
      return regionFailover(ranked, workloadLocality(read), failover);
    }
  }
}

/** Labels that follow from where a workload runs: the proxy has them whether its pod carries them or not. */
const TOPOLOGY: Readonly<Record<string, (read: MeshRead) => unknown>> = {
  'topology.istio.io/network': (read) => proxyLabel(read, 'topology.istio.io/network') || read.fact(network),
  'topology.istio.io/cluster': (read) => read.fact(proxyCluster),
  'topology.kubernetes.io/region': (read) => parseLocality(workloadLocality(read)).region,
  'topology.kubernetes.io/zone': (read) => parseLocality(workloadLocality(read)).zone,
  'topology.istio.io/subzone': (read) => parseLocality(workloadLocality(read)).subzone,
  'kubernetes.io/hostname': (read) => read.fact(metadataText, 'nodeName'),
};

function priorityLabels(read: MeshRead, labels: readonly string[]): readonly PriorityLabel[] {
  return labels.map((text) => {
    const [label = '', stated, more] = text.split('=');
    if (stated !== undefined && more === undefined) return { label, value: stated };
    const known = TOPOLOGY[label]?.(read);
    return { label, value: typeof known === 'string' && known !== '' ? known : proxyLabel(read, label) };
  });
}
