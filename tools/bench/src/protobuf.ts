import { decode, encode, packAny, parse, validate } from '@kedge/envoy-api';
import type { Any, Cluster, DiscoveryResponse } from '@kedge/envoy-api';
import { measure, printTable } from './measure.ts';
import type { Measurement } from './measure.ts';

const CLUSTERS = 1000;
const RESPONSE = 'envoy.service.discovery.v3.DiscoveryResponse';

export const protobuf = {
  about: `an answer of ${CLUSTERS} clusters, CPU milliseconds`,
  run(): void {
    const response: DiscoveryResponse = {
      versionInfo: '1',
      nonce: '1',
      typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
      resources: Array.from({ length: CLUSTERS }, (_, i) => packAny('envoy.config.cluster.v3.Cluster', cluster(i))),
    };
    const bytes = encode(RESPONSE, response);
    const json = JSON.stringify(response);
    console.log(`  ${(bytes.length / 1e6).toFixed(2)} MB as protobuf, ${(json.length / 1e6).toFixed(2)} MB as JSON`);
    printTable([
      ['', 'first', 'median', 'MB/s'],
      row('encode', bytes.length, () => encode(RESPONSE, response)),
      row('decode', bytes.length, () => decode(RESPONSE, bytes)),
      row('read JSON', json.length, () => parse(RESPONSE, JSON.parse(json))),
      row('write JSON', json.length, () => JSON.stringify(response)),
      row('validate', bytes.length, () => validate(RESPONSE, response)),
    ]);
  },
};

function row(name: string, size: number, work: () => void): readonly string[] {
  const { first, median }: Measurement = measure(work);
  return [name, first.toFixed(1), median.toFixed(1), (size / 1e3 / median).toFixed(0)];
}

/** A cluster such as a service with mutual TLS and a traffic policy has: about 1 KB. */
function cluster(index: number): Cluster {
  const host = `service-${index}.namespace-${index % 50}.svc.cluster.local`;
  const service = { name: `service-${index}`, namespace: `namespace-${index % 50}`, host };
  return {
    name: `outbound|8080|v1|${host}`,
    type: 'EDS',
    edsClusterConfig: {
      edsConfig: { ads: {}, initialFetchTimeout: '0s', resourceApiVersion: 'V3' },
      serviceName: `outbound|8080|v1|${host}`,
    },
    connectTimeout: '10s',
    lbPolicy: 'LEAST_REQUEST',
    circuitBreakers: {
      thresholds: [
        {
          maxConnections: 1024,
          maxPendingRequests: 4294967295,
          maxRequests: 4294967295,
          maxRetries: 4294967295,
          trackRemaining: true,
        },
      ],
    },
    outlierDetection: {
      consecutive5xx: 5,
      interval: '10s',
      baseEjectionTime: '30s',
      maxEjectionPercent: 50,
      enforcingConsecutive5xx: 100,
      enforcingSuccessRate: 0,
    },
    commonLbConfig: {},
    metadata: {
      filterMetadata: {
        istio: {
          config: `/apis/networking.istio.io/v1/namespaces/${service.namespace}/destination-rule/service-${index}`,
          default_original_port: 8080,
          services: [service],
          subset: 'v1',
        },
      },
    },
    filters: [{ name: 'istio.metadata_exchange', typedConfig: metadataExchange() }],
    typedExtensionProtocolOptions: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': packAny(
        'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        { useDownstreamProtocolConfig: { httpProtocolOptions: {}, http2ProtocolOptions: {} } },
      ),
    },
    transportSocketMatches: [
      {
        name: 'tlsMode-istio',
        match: { tlsMode: 'istio' },
        transportSocket: { name: 'envoy.transport_sockets.tls', typedConfig: upstreamTls(host, service.namespace) },
      },
      {
        name: 'tlsMode-disabled',
        match: {},
        transportSocket: {
          name: 'envoy.transport_sockets.raw_buffer',
          typedConfig: packAny('envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer', {}),
        },
      },
    ],
  };
}

function metadataExchange(): Any {
  return packAny('udpa.type.v1.TypedStruct', {
    typeUrl: 'type.googleapis.com/envoy.tcp.metadataexchange.config.MetadataExchange',
    value: { protocol: 'istio-peer-exchange', enable_discovery: true },
  });
}

function upstreamTls(host: string, namespace: string): Any {
  const sdsConfig = {
    apiConfigSource: {
      apiType: 'GRPC',
      transportApiVersion: 'V3',
      grpcServices: [{ envoyGrpc: { clusterName: 'sds-grpc' } }],
      setNodeOnFirstMessageOnly: true,
    },
    initialFetchTimeout: '0s',
    resourceApiVersion: 'V3',
  } as const;
  return packAny('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
    commonTlsContext: {
      alpnProtocols: ['istio-peer-exchange', 'istio'],
      tlsCertificateSdsSecretConfigs: [{ name: 'default', sdsConfig }],
      tlsParams: { tlsMinimumProtocolVersion: 'TLSv1_2', tlsMaximumProtocolVersion: 'TLSv1_3' },
      combinedValidationContext: {
        defaultValidationContext: {
          matchSubjectAltNames: [{ exact: `spiffe://cluster.local/ns/${namespace}/sa/default` }],
        },
        validationContextSdsSecretConfig: { name: 'ROOTCA', sdsConfig },
      },
    },
    sni: `outbound_.8080_.v1_.${host}`,
  });
}
