import type { Messages } from '../generated/types/messages.ts';

// Short names of the messages that generators write most; all others are `Messages['full.name']`.

// xDS
export type DiscoveryRequest = Messages['envoy.service.discovery.v3.DiscoveryRequest'];
export type DiscoveryResponse = Messages['envoy.service.discovery.v3.DiscoveryResponse'];
export type DeltaDiscoveryRequest = Messages['envoy.service.discovery.v3.DeltaDiscoveryRequest'];
export type DeltaDiscoveryResponse = Messages['envoy.service.discovery.v3.DeltaDiscoveryResponse'];
export type Resource = Messages['envoy.service.discovery.v3.Resource'];
export type Status = Messages['google.rpc.Status'];

// Core
export type Address = Messages['envoy.config.core.v3.Address'];
export type ApiConfigSource = Messages['envoy.config.core.v3.ApiConfigSource'];
export type BindConfig = Messages['envoy.config.core.v3.BindConfig'];
export type CidrRange = Messages['envoy.config.core.v3.CidrRange'];
export type ConfigSource = Messages['envoy.config.core.v3.ConfigSource'];
export type DataSource = Messages['envoy.config.core.v3.DataSource'];
export type AsyncDataSource = Messages['envoy.config.core.v3.AsyncDataSource'];
export type GrpcService = Messages['envoy.config.core.v3.GrpcService'];
export type HeaderValue = Messages['envoy.config.core.v3.HeaderValue'];
export type HeaderValueOption = Messages['envoy.config.core.v3.HeaderValueOption'];
export type HealthCheck = Messages['envoy.config.core.v3.HealthCheck'];
export type Http1ProtocolOptions = Messages['envoy.config.core.v3.Http1ProtocolOptions'];
export type Http2ProtocolOptions = Messages['envoy.config.core.v3.Http2ProtocolOptions'];
export type HttpUri = Messages['envoy.config.core.v3.HttpUri'];
export type KeepaliveSettings = Messages['envoy.config.core.v3.KeepaliveSettings'];
export type Locality = Messages['envoy.config.core.v3.Locality'];
export type Metadata = Messages['envoy.config.core.v3.Metadata'];
export type Node = Messages['envoy.config.core.v3.Node'];
export type ProxyProtocolConfig = Messages['envoy.config.core.v3.ProxyProtocolConfig'];
export type RuntimeFractionalPercent = Messages['envoy.config.core.v3.RuntimeFractionalPercent'];
export type SocketAddress = Messages['envoy.config.core.v3.SocketAddress'];
export type SocketOption = Messages['envoy.config.core.v3.SocketOption'];
export type SubstitutionFormatString = Messages['envoy.config.core.v3.SubstitutionFormatString'];
export type TcpKeepalive = Messages['envoy.config.core.v3.TcpKeepalive'];
export type TransportSocket = Messages['envoy.config.core.v3.TransportSocket'];
export type TypedExtensionConfig = Messages['envoy.config.core.v3.TypedExtensionConfig'];
export type FractionalPercent = Messages['envoy.type.v3.FractionalPercent'];
export type Percent = Messages['envoy.type.v3.Percent'];
export type Int64Range = Messages['envoy.type.v3.Int64Range'];
export type ListStringMatcher = Messages['envoy.type.matcher.v3.ListStringMatcher'];
export type MetadataMatcher = Messages['envoy.type.matcher.v3.MetadataMatcher'];
export type PathMatcher = Messages['envoy.type.matcher.v3.PathMatcher'];
export type RegexMatcher = Messages['envoy.type.matcher.v3.RegexMatcher'];
export type RegexMatchAndSubstitute = Messages['envoy.type.matcher.v3.RegexMatchAndSubstitute'];
export type StringMatcher = Messages['envoy.type.matcher.v3.StringMatcher'];
export type ValueMatcher = Messages['envoy.type.matcher.v3.ValueMatcher'];
export type Matcher = Messages['xds.type.matcher.v3.Matcher'];
export type TypedStruct = Messages['udpa.type.v1.TypedStruct'];

// Clusters and endpoints
export type CircuitBreakers = Messages['envoy.config.cluster.v3.CircuitBreakers'];
export type Cluster = Messages['envoy.config.cluster.v3.Cluster'];
export type OutlierDetection = Messages['envoy.config.cluster.v3.OutlierDetection'];
export type UpstreamConnectionOptions = Messages['envoy.config.cluster.v3.UpstreamConnectionOptions'];
export type ClusterLoadAssignment = Messages['envoy.config.endpoint.v3.ClusterLoadAssignment'];
export type Endpoint = Messages['envoy.config.endpoint.v3.Endpoint'];
export type LbEndpoint = Messages['envoy.config.endpoint.v3.LbEndpoint'];
export type LocalityLbEndpoints = Messages['envoy.config.endpoint.v3.LocalityLbEndpoints'];
export type HttpProtocolOptions = Messages['envoy.extensions.upstreams.http.v3.HttpProtocolOptions'];

// Listeners
export type AccessLog = Messages['envoy.config.accesslog.v3.AccessLog'];
export type AccessLogFilter = Messages['envoy.config.accesslog.v3.AccessLogFilter'];
export type AdditionalAddress = Messages['envoy.config.listener.v3.AdditionalAddress'];
export type Filter = Messages['envoy.config.listener.v3.Filter'];
export type FilterChain = Messages['envoy.config.listener.v3.FilterChain'];
export type FilterChainMatch = Messages['envoy.config.listener.v3.FilterChainMatch'];
export type Listener = Messages['envoy.config.listener.v3.Listener'];
export type ListenerFilter = Messages['envoy.config.listener.v3.ListenerFilter'];
export type ListenerFilterChainMatchPredicate = Messages['envoy.config.listener.v3.ListenerFilterChainMatchPredicate'];
export type FileAccessLog = Messages['envoy.extensions.access_loggers.file.v3.FileAccessLog'];
export type HttpConnectionManager =
  Messages['envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'];
export type HttpFilter = Messages['envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter'];
export type Rds = Messages['envoy.extensions.filters.network.http_connection_manager.v3.Rds'];
export type TcpProxy = Messages['envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy'];

// Routes
export type CorsPolicy = Messages['envoy.config.route.v3.CorsPolicy'];
export type Decorator = Messages['envoy.config.route.v3.Decorator'];
export type DirectResponseAction = Messages['envoy.config.route.v3.DirectResponseAction'];
export type HedgePolicy = Messages['envoy.config.route.v3.HedgePolicy'];
export type HeaderMatcher = Messages['envoy.config.route.v3.HeaderMatcher'];
export type QueryParameterMatcher = Messages['envoy.config.route.v3.QueryParameterMatcher'];
export type RateLimit = Messages['envoy.config.route.v3.RateLimit'];
export type RedirectAction = Messages['envoy.config.route.v3.RedirectAction'];
export type RetryPolicy = Messages['envoy.config.route.v3.RetryPolicy'];
export type Route = Messages['envoy.config.route.v3.Route'];
export type RouteAction = Messages['envoy.config.route.v3.RouteAction'];
export type RouteConfiguration = Messages['envoy.config.route.v3.RouteConfiguration'];
export type RouteMatch = Messages['envoy.config.route.v3.RouteMatch'];
export type Tracing = Messages['envoy.config.route.v3.Tracing'];
export type VirtualHost = Messages['envoy.config.route.v3.VirtualHost'];
export type WeightedCluster = Messages['envoy.config.route.v3.WeightedCluster'];

// TLS and secrets
export type CertificateValidationContext =
  Messages['envoy.extensions.transport_sockets.tls.v3.CertificateValidationContext'];
export type CommonTlsContext = Messages['envoy.extensions.transport_sockets.tls.v3.CommonTlsContext'];
export type DownstreamTlsContext = Messages['envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext'];
export type SdsSecretConfig = Messages['envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig'];
export type Secret = Messages['envoy.extensions.transport_sockets.tls.v3.Secret'];
export type TlsCertificate = Messages['envoy.extensions.transport_sockets.tls.v3.TlsCertificate'];
export type TlsParameters = Messages['envoy.extensions.transport_sockets.tls.v3.TlsParameters'];
export type UpstreamTlsContext = Messages['envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext'];

// Policies
export type Permission = Messages['envoy.config.rbac.v3.Permission'];
export type Policy = Messages['envoy.config.rbac.v3.Policy'];
export type Principal = Messages['envoy.config.rbac.v3.Principal'];
export type RBAC = Messages['envoy.config.rbac.v3.RBAC'];

// Bootstrap
export type Bootstrap = Messages['envoy.config.bootstrap.v3.Bootstrap'];

// Istio
export type NameTable = Messages['istio.networking.nds.v1.NameTable'];
