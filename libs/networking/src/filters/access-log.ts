import type { MeshRead } from '@kedge/config';
import { type Messages, packAny, type SubstitutionFormatString } from '@kedge/envoy-api';
import type { ExtensionProvider, MeshConfig } from '@kedge/model';
import { meshConfig } from '@kedge/pushcontext';
import { jsonFormat, parseJsonFormat, textFormat } from './access-log-format.ts';
import type { ListenerClass } from './listener-class.ts';

export type AccessLog = Messages['envoy.config.accesslog.v3.AccessLog'];
type GrpcLogConfig = Messages['envoy.extensions.access_loggers.grpc.v3.CommonGrpcAccessLogConfig'];

/** Where logs are written from: requests, connections, or connections that no filter chain takes. */
export type LogPlace = 'http' | 'tcp' | 'listener';

/** No filter chain took the connection: otherwise the chain itself logs. */
const UNMATCHED: AccessLog = { filter: { responseFlagFilter: { flags: ['NR'] } } };

/** The logs of a place, as the mesh has them: by its default providers, else by its settings for files and the log service. */
export function accessLogs(read: MeshRead, _class: ListenerClass, place: LogPlace): readonly AccessLog[] {
  const mesh = meshConfig(read);
  if (place === 'listener' && mesh.disableEnvoyListenerLog) return [];
  const extra = place === 'listener' ? UNMATCHED : {};
  const names = new Set(mesh.defaultProviders?.accessLogging);
  if (names.size > 0) {
    return mesh.extensionProviders
      .filter(({ name }) => names.has(name))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((provider) => providerLog(mesh, provider))
      .map((log) => ({ ...log, ...extra }));
  }
  return [
    ...(mesh.accessLogFile ? [{ ...fileLog(mesh.accessLogFile, meshFormat(mesh)), ...extra }] : []),
    ...(mesh.enableEnvoyAccessLogService ? [{ ...serviceLog(place), ...extra }] : []),
  ];
}

function providerLog(mesh: MeshConfig, { name, envoyFileAccessLog }: ExtensionProvider): readonly AccessLog[] {
  if (!envoyFileAccessLog) return [];
  const { path = '', logFormat, omitEmptyValues = false } = envoyFileAccessLog;
  const isBuiltIn = name === 'envoy' && !logFormat && !omitEmptyValues;
  const format = isBuiltIn
    ? meshFormat(mesh)
    : logFormat?.labels
      ? jsonFormat(logFormat.labels as Parameters<typeof jsonFormat>[0], omitEmptyValues)
      : textFormat(logFormat?.text, omitEmptyValues);
  return [fileLog(path || '/dev/stdout', format)];
}

function meshFormat({ accessLogFormat = '', accessLogEncoding }: MeshConfig): SubstitutionFormatString {
  return accessLogEncoding === 'JSON' ? jsonFormat(parseJsonFormat(accessLogFormat)) : textFormat(accessLogFormat);
}

function fileLog(path: string, logFormat: SubstitutionFormatString): AccessLog {
  return {
    name: 'envoy.access_loggers.file',
    typedConfig: packAny('envoy.extensions.access_loggers.file.v3.FileAccessLog', { path, logFormat }),
  };
}

/** What the two ends of a request know of each other, under the names that filters of different versions give it. */
const PEERS = [
  'upstream_peer',
  'downstream_peer',
  'wasm.upstream_peer',
  'wasm.upstream_peer_id',
  'wasm.downstream_peer',
  'wasm.downstream_peer_id',
];

/** Logs that go to the service for which the bootstrap has a cluster. */
function serviceLog(place: LogPlace): AccessLog {
  const commonConfig = (logName: string): GrpcLogConfig => ({
    logName,
    grpcService: { envoyGrpc: { clusterName: 'envoy_accesslog_service' } },
    transportApiVersion: 'V3',
    filterStateObjectsToLog: PEERS,
  });
  return place === 'http'
    ? {
        name: 'envoy.access_loggers.http_grpc',
        typedConfig: packAny('envoy.extensions.access_loggers.grpc.v3.HttpGrpcAccessLogConfig', {
          commonConfig: commonConfig('http_envoy_accesslog'),
        }),
      }
    : {
        name: 'envoy.tcp_grpc_access_log',
        typedConfig: packAny('envoy.extensions.access_loggers.grpc.v3.TcpGrpcAccessLogConfig', {
          commonConfig: commonConfig(place === 'listener' ? 'listener_envoy_accesslog' : 'tcp_envoy_accesslog'),
        }),
      };
}
