import type { Any } from '@kedge/envoy-api';
import type { MeshRead } from '@kedge/config';
import { features, hasExtension } from '@kedge/pushcontext';

/** On which side of a proxy a filter sits. */
export type Side = 'downstream' | 'upstream';

/** The extension by which Istio's Envoy knows the filter of each side. */
const EXTENSIONS: Readonly<Record<Side, string>> = {
  downstream: 'envoy.filters.network.metadata_exchange',
  upstream: 'envoy.filters.network.upstream.metadata_exchange',
};

export interface MetadataExchangeFilter {
  readonly name: string;
  readonly typedConfig: Any;
}

/**
 * The filter by which the two ends of a TCP connection tell each other who they are; undefined where it is switched off or
 * the proxy's Envoy is built without it.
 */
export function metadataExchange(read: MeshRead, side: Side): MetadataExchangeFilter | undefined {
  const { metadataExchange: wanted, additionalExchangeLabels } = features(read);
  if (!wanted || !read.fact(hasExtension, EXTENSIONS[side])) return undefined;
  const labels = additionalExchangeLabels.split(',').filter(Boolean);
  return {
    name: 'istio.metadata_exchange',
    typedConfig: {
      '@type': 'type.googleapis.com/udpa.type.v1.TypedStruct',
      typeUrl: 'type.googleapis.com/envoy.tcp.metadataexchange.config.MetadataExchange',
      value: {
        enable_discovery: true,
        protocol: 'istio-peer-exchange',
        ...(labels.length > 0 ? { additional_labels: labels } : {}),
      },
    },
  };
}
