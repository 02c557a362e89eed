import { type ProxyConfig, canonicalName, firstLabel } from '@kedge/model';
import type { NodeMetadata } from './node-metadata.ts';

const unnamed = 'istio-proxy';
/** The labels of a canonical name in the order of old, for workloads that have several. */
const appLabels = ['app', 'app.kubernetes.io/name', 'service.istio.io/canonical-name'];

/**
 * The service cluster of the node, by which tracing names the workload: what the ProxyConfig says, else `APP.NAMESPACE`,
 * `WORKLOAD.NAMESPACE`, `istio-proxy.NAMESPACE` or `istio-proxy`, the first whose parts are known.
 */
export function serviceCluster(config: ProxyConfig, metadata: NodeMetadata): string {
  const namespace = text(metadata['NAMESPACE']);
  const workload = text(metadata['WORKLOAD_NAME']);
  const labels = metadata.LABELS ?? {};
  const orDefault = (name: string): string => {
    if (name && name !== unnamed) return name;
    const app = firstLabel(labels, ...appLabels);
    if (app !== undefined) return `${app}.${namespace}`;
    if (workload) return `${workload}.${namespace}`;
    return namespace ? `${unnamed}.${namespace}` : unnamed;
  };
  const canonical = canonicalName(labels, workload || unnamed);
  switch (config.tracingServiceName) {
    case 'CANONICAL_NAME_ONLY':
      return orDefault(canonical);
    case 'CANONICAL_NAME_AND_NAMESPACE':
      return namespace ? `${canonical}.${namespace}` : orDefault(canonical);
    case 'APP_LABEL_AND_NAMESPACE':
      return orDefault(unnamed);
    case undefined:
      return orDefault(config.serviceCluster ?? unnamed);
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
