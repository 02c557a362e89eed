/** The types on the ADS stream, by the short names of the field. */
export const TYPE_URLS = {
  CDS: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  EDS: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
  LDS: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  RDS: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  SDS: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
  ECDS: 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig',
  PCDS: 'type.googleapis.com/istio.mesh.v1alpha1.ProxyConfig',
  NDS: 'type.googleapis.com/istio.networking.nds.v1.NameTable',
} as const;

export type TypeUrl = (typeof TYPE_URLS)[keyof typeof TYPE_URLS];

const typeUrls: ReadonlySet<string> = new Set(Object.values(TYPE_URLS));

export const isTypeUrl = (text: string): text is TypeUrl => typeUrls.has(text);
