import type { MeshRead } from '@kedge/config';
import type { Messages } from '@kedge/envoy-api';
import { meshConfig } from '@kedge/pushcontext';
import { fileLog, meshFormat } from './access-log-file.ts';
import { grpcLog, LOG_NAMES, PEERS_OF_ALL_VERSIONS } from './access-log-grpc.ts';
import { defaultProviderLogs } from './access-log-providers.ts';
import type { ListenerClass } from './listener-class.ts';

export type AccessLog = Messages['envoy.config.accesslog.v3.AccessLog'];

/** Where logs are written from: requests, connections, or connections that no filter chain takes. */
export type LogPlace = 'http' | 'tcp' | 'listener';

/** No filter chain took the connection: otherwise the chain itself logs. */
const UNMATCHED: AccessLog = { filter: { responseFlagFilter: { flags: ['NR'] } } };

/** The logs of a place, as the mesh has them: by its default providers, else by its settings for files and the log service. */
export function accessLogs(read: MeshRead, _class: ListenerClass, place: LogPlace): readonly AccessLog[] {
  const mesh = meshConfig(read);
  if (place === 'listener' && mesh.disableEnvoyListenerLog) return [];
  const { logs } = read(defaultProviderLogs);
  const chosen = logs.length > 0 ? logs : meshLogs(read, place);
  return place === 'listener' ? chosen.map((log) => ({ ...log, ...UNMATCHED })) : chosen;
}

/** The service is the one that the bootstrap has a cluster for. */
function meshLogs(read: MeshRead, place: LogPlace): readonly AccessLog[] {
  const mesh = meshConfig(read);
  const service = { cluster: 'envoy_accesslog_service', logName: LOG_NAMES[place], state: PEERS_OF_ALL_VERSIONS };
  return [
    ...(mesh.accessLogFile ? [fileLog(mesh.accessLogFile, meshFormat(mesh))] : []),
    ...(mesh.enableEnvoyAccessLogService ? [grpcLog(place === 'http' ? 'http' : 'tcp', service)] : []),
  ];
}
