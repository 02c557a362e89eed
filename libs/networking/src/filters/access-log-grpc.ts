import { type Messages, packAny } from '@kedge/envoy-api';

type AccessLog = Messages['envoy.config.accesslog.v3.AccessLog'];
type GrpcLogConfig = Messages['envoy.extensions.access_loggers.grpc.v3.CommonGrpcAccessLogConfig'];

/** The names by which services tell logs apart where nobody states one. */
export const LOG_NAMES = {
  http: 'http_envoy_accesslog',
  tcp: 'tcp_envoy_accesslog',
  listener: 'listener_envoy_accesslog',
  otel: 'otel_envoy_accesslog',
} as const;

/** What the two ends of a request know of each other. */
export const PEERS = ['upstream_peer', 'downstream_peer'];

/** The same under the names that filters of older versions give it, too. */
export const PEERS_OF_ALL_VERSIONS = [...PEERS, ...PEERS.flatMap((peer) => [`wasm.${peer}`, `wasm.${peer}_id`])];

/** A service that logs are sent to. */
export interface LogService {
  readonly cluster: string;
  /** The host that requests to it name; the cluster where none is stated. */
  readonly authority?: string;
  readonly logName: string;
  /** Keys of what filters know, to be sent along. */
  readonly state: readonly string[];
}

export function grpcLogConfig({ cluster, authority, logName, state }: LogService): GrpcLogConfig {
  return {
    logName,
    grpcService: { envoyGrpc: { clusterName: cluster, ...(authority === undefined ? {} : { authority }) } },
    transportApiVersion: 'V3',
    filterStateObjectsToLog: state,
  };
}

/** Headers that are sent along. */
export type LoggedHeaders = Omit<
  Messages['envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig'],
  'commonConfig'
>;

/** A log of requests, or of connections, in the form of Envoy's own log service. */
export function grpcLog(layer: 'http' | 'tcp', service: LogService, headers: LoggedHeaders = {}): AccessLog {
  const commonConfig = grpcLogConfig(service);
  return layer === 'http'
    ? {
        name: 'envoy.access_loggers.http_grpc',
        typedConfig: packAny('envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig', {
          commonConfig,
          ...headers,
        }),
      }
    : {
        name: 'envoy.tcp_grpc_access_log',
        typedConfig: packAny('envoy.extensions.access_loggers.grpc.v3.TcpGrpcAccessLogConfig', { commonConfig }),
      };
}
