import type { MeshRead } from '@kedge/config';
import type { Messages } from '@kedge/envoy-api';
import type { ProxyTracing } from '@kedge/model';
import {
  clusterId,
  configNamespace,
  features,
  meshConfig,
  metadataText,
  proxyConfig,
  proxyLabel,
} from '@kedge/pushcontext';

export type Tracing =
  Messages['envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.Tracing'];
type CustomTag = Messages['envoy.type.tracing.v3.CustomTag'];

/** How requests are traced by the settings of mesh and proxy; undefined where tracing is switched off. */
export function tracing(read: MeshRead): Tracing | undefined {
  if (!meshConfig(read).enableTracing) return undefined;
  const settings = proxyConfig(read, 'tracing');
  const tags = [
    ...(settings?.enableIstioTags === false ? [] : [...workloadTags(read), ...DRY_RUN_TAGS]),
    ...userTags(settings?.customTags ?? {}),
  ].sort((a, b) => ((a.tag ?? '') < (b.tag ?? '') ? -1 : 1));
  return {
    clientSampling: { value: 100 },
    randomSampling: { value: sampling(read, settings) },
    overallSampling: { value: 100 },
    ...(tags.length > 0 ? { customTags: tags } : {}),
    ...(settings?.maxPathTagLength ? { maxPathTagLength: settings.maxPathTagLength } : {}),
  };
}

/** Percent of requests; a share beyond 100 is no share, so it falls back to 1. */
function sampling(read: MeshRead, settings: ProxyTracing | undefined): number {
  const stated = settings?.sampling;
  if (!stated) return features(read).traceSampling;
  return stated > 100 ? 1 : stated;
}

/** Who the workload is. */
function workloadTags(read: MeshRead): readonly CustomTag[] {
  const values: Readonly<Record<string, string>> = {
    'istio.canonical_revision': proxyLabel(read, 'service.istio.io/canonical-revision') || 'latest',
    'istio.canonical_service': proxyLabel(read, 'service.istio.io/canonical-name') || 'unknown',
    'istio.mesh_id': String(read.fact(metadataText, 'meshId') || 'unknown'),
    'istio.namespace': read.fact(configNamespace) || 'default',
    'istio.cluster_id': read.fact(clusterId) || 'unknown',
  };
  return Object.entries(values).map(([tag, value]) => ({ tag, literal: { value } }));
}

/** What authorization policies that are only tried out would have decided. */
const DRY_RUN_TAGS: readonly CustomTag[] = ['allow', 'deny'].flatMap((action) =>
  [
    { what: 'name', key: 'effective_policy_id' },
    { what: 'result', key: 'engine_result' },
  ].map(({ what, key }) => ({
    tag: `istio.authorization.dry_run.${action}_policy.${what}`,
    metadata: {
      kind: { request: {} },
      metadataKey: { key: 'envoy.filters.http.rbac', path: [{ key: `istio_dry_run_${action}_shadow_${key}` }] },
    },
  })),
);

function userTags(tags: ProxyTracing['customTags']): readonly CustomTag[] {
  return Object.entries(tags).flatMap(([tag, { literal, environment, header }]): readonly CustomTag[] => {
    if (literal) return [{ tag, literal }];
    if (environment) return [{ tag, environment }];
    return header ? [{ tag, requestHeader: header }] : [];
  });
}
