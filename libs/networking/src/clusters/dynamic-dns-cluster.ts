import type { MeshRead } from '@kedge/config';
import { type Cluster, packAny } from '@kedge/envoy-api';
import { fact } from '@kedge/incremental';
import { isWildcardHost, type Protocol, type Proxy, type Service } from '@kedge/model';
import { features, meshConfig } from '@kedge/pushcontext';
import { metadataExchange } from '../filters/metadata-exchange.ts';
import { upstreamTlsContext } from '../tls/upstream-tls.ts';
import { hasCredentialSocket, hasFileSocket } from './client-tls.ts';
import { alpnMetadata, istioMetadata, ruleMetadata } from './cluster-metadata.ts';
import { DYNAMIC_DNS_CLUSTER } from './cluster-name.ts';
import { connectionPool } from './connection-pool.ts';
import { dnsLookupFamily } from './discovery-type.ts';
import {
  httpProtocolOptions,
  passthroughHttpOptions,
  upgradedVersion,
  versionByProtocol,
} from './http-protocol-options.ts';
import type { OutboundInput } from './outbound-input.ts';
import { outlierDetection } from './outlier-detection.ts';
import { delimited } from './stat-name.ts';
import { sameForAll, tlsSocket } from './transport-socket.ts';
import { type AutoNames, autoNames, type TransportProblem, upstreamTransport } from './upstream-transport.ts';

/** Whether a host stands for names that are resolved one by one, as requests ask for them. */
export function isDynamicDns({ hostname, resolution }: Service): boolean {
  return resolution === 'dynamic-dns' && isWildcardHost(hostname);
}

/** Protocols that say for which host a connection is. */
const NAMED: ReadonlySet<Protocol> = new Set<Protocol>(['HTTP', 'TLS', 'GRPC', 'HTTP2']);

/** The cluster of a wildcard host, which resolves the name that each request brings. */
export function dynamicDnsCluster(read: MeshRead, input: OutboundInput): Cluster | TransportProblem | undefined {
  const { name, target, service, port, rule, policy } = input;
  if (!NAMED.has(port.protocol) || target.form === 'sni' || target.subset !== '') return undefined;
  const mesh = meshConfig(read);
  const pool = policy.connectionPool ?? {};
  const version = upgradedVersion(versionByProtocol(read, port.protocol), port.protocol, pool, mesh);
  const transport = upstreamTransport(read, { ...input, type: 'DYNAMIC_DNS', http2: version === 'http2' });
  if ('problem' in transport) return transport;
  const exchange = metadataExchange(read, 'upstream');
  const { outlierDetection: detection } = policy;
  const options = httpProtocolOptions(read, { version, pool, outlierDetection: detection, ...transport.http });
  // Where there are options Envoy looks at them, with or without TLS.
  const isLookedAt = transport.tls !== undefined || options.typedExtensionProtocolOptions !== undefined;
  return {
    name,
    altStatName: delimited(name),
    ...dynamicResolution(
      { name: `${service.hostname}_dfp_dns_cache`, dnsLookupFamily: dnsLookupFamily(read) },
      isLookedAt && !isVerified(transport.http),
    ),
    ...connectionPool(read, pool, policy.retryBudget),
    ...options,
    ...(detection ? { outlierDetection: outlierDetection(detection) } : {}),
    ...transport.sockets,
    ...(exchange ? { filters: [exchange] } : {}),
    ...istioMetadata(
      service.meshExternal ? { external: true } : {},
      rule ? { ...ruleMetadata(rule), ...alpnMetadata(policy.tls) } : {},
    ),
  };
}

const isVerified = ({ autoSni, autoSanValidation }: AutoNames): boolean => Boolean(autoSni && autoSanValidation);

/** Envoy insists on names from the requests being verified, unless it is told that they need not be. */
function dynamicResolution(dnsCacheConfig: object, insecure: boolean): Cluster {
  return {
    lbPolicy: 'CLUSTER_PROVIDED',
    clusterType: {
      name: 'envoy.clusters.dynamic_forward_proxy',
      typedConfig: packAny('envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig', {
        dnsCacheConfig,
        ...(insecure ? { allowInsecureClusterOptions: true } : {}),
      }),
    },
  };
}

/** The address of the agent's DNS proxy; undefined where the proxy's DNS requests are not captured. */
const dnsProxyAddress = fact('dnsProxyAddress', ({ metadata }: Proxy): string | undefined => {
  if (!metadata.dnsCapture) return undefined;
  const stated = metadata.raw['DNS_PROXY_ADDR'];
  return typeof stated === 'string' && /^[^:]+:\d+$/.test(stated)
    ? stated.replace(/^localhost:/, '127.0.0.1:')
    : '127.0.0.1:15053';
});

/** Settings of the cache that the cluster for unknown hosts shares with the filters that fill it. */
export function unknownHostsDnsCache(read: MeshRead): object {
  const proxyAddress = read.fact(dnsProxyAddress);
  const [address = '', port] = proxyAddress?.split(':') ?? [];
  return {
    name: 'allow_any_dfp_dns_cache',
    maxHosts: features(read).dynamicDnsMaxHosts,
    dnsLookupFamily: dnsLookupFamily(read),
    ...(proxyAddress === undefined
      ? {}
      : {
          typedDnsResolverConfig: {
            name: 'envoy.network.dns_resolver.cares',
            typedConfig: packAny('envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig', {
              resolvers: [{ socketAddress: { address, portValue: Number(port) } }],
            }),
          },
        }),
  };
}

/** The cluster for hosts that the mesh doesn't know, where outbound traffic to them goes by their names. */
export function unknownHostsCluster(read: MeshRead): Cluster {
  const mesh = meshConfig(read);
  const tls = mesh.outboundTrafficPolicy?.tls;
  const isPlain = !tls || (tls.mode ?? 'DISABLE') === 'DISABLE';
  const exchange = metadataExchange(read, 'upstream');
  const base: Cluster = {
    name: DYNAMIC_DNS_CLUSTER,
    altStatName: delimited(DYNAMIC_DNS_CLUSTER),
    ...connectionPool(read, {}),
    ...(exchange ? { filters: [exchange] } : {}),
  };
  const cache = unknownHostsDnsCache(read);
  const plain = { ...base, ...dynamicResolution(cache, isPlain), ...passthroughHttpOptions(read) };
  if (isPlain) return plain;
  const result = upstreamTlsContext({
    settings: tls,
    fallbackSni: undefined,
    http2: false,
    mesh,
    features: features(read),
    credentialSocket: read.fact(hasCredentialSocket),
    fileSocket: read.fact(hasFileSocket),
  });
  if ('problem' in result) return plain;
  const names = autoNames(tls, true);
  return {
    ...base,
    ...dynamicResolution(cache, !isVerified(names)),
    ...httpProtocolOptions(read, { version: 'default', pool: {}, ...names }),
    ...sameForAll(tlsSocket(result.context)),
  };
}
