import type { MeshRead } from '@kedge/config';
import type { Messages } from '@kedge/envoy-api';
import { meshConfig, telemetryKeys } from '@kedge/pushcontext';
import { sideOf } from '../telemetry/workload-mode.ts';
import { fileLog, meshFormat } from './access-log-file.ts';
import { type AccessLogFilter, expressionFilter } from './access-log-filter.ts';
import { grpcLog, LOG_NAMES, PEERS_OF_ALL_VERSIONS } from './access-log-grpc.ts';
import { type ChosenLog, providerLogs } from './access-log-providers.ts';
import type { ListenerClass } from './listener-class.ts';

export type AccessLog = Messages['envoy.config.accesslog.v3.AccessLog'];

/** Where logs are written from: requests, connections, or connections that no filter chain takes. */
export type LogPlace = 'http' | 'tcp' | 'listener';

/** No filter chain took the connection: otherwise the chain itself logs. */
const UNMATCHED: AccessLogFilter = { responseFlagFilter: { flags: ['NR'] } };

/** The logs of a place: of the providers that were chosen for it, else of the mesh's settings for files and the log service. */
export function accessLogs(read: MeshRead, listenerClass: ListenerClass, place: LogPlace): readonly AccessLog[] {
  if (place === 'listener' && meshConfig(read).disableEnvoyListenerLog) return [];
  const { logs = meshLogs(read, place) } = read(providerLogs, sideOf(listenerClass), read(telemetryKeys));
  return logs.map(({ log, expression }) => ({
    ...log,
    ...filterOf([
      ...(place === 'listener' ? [UNMATCHED] : []),
      ...(expression === undefined ? [] : [expressionFilter(expression)]),
    ]),
  }));
}

function filterOf(filters: readonly AccessLogFilter[]): Pick<AccessLog, 'filter'> {
  const [filter, ...others] = filters;
  if (!filter) return {};
  return { filter: others.length > 0 ? { andFilter: { filters } } : filter };
}

/** The service is the one that the bootstrap has a cluster for. */
function meshLogs(read: MeshRead, place: LogPlace): readonly ChosenLog[] {
  const mesh = meshConfig(read);
  const service = { cluster: 'envoy_accesslog_service', logName: LOG_NAMES[place], state: PEERS_OF_ALL_VERSIONS };
  return [
    ...(mesh.accessLogFile ? [{ log: fileLog(mesh.accessLogFile, meshFormat(mesh)) }] : []),
    ...(mesh.enableEnvoyAccessLogService ? [{ log: grpcLog(place === 'http' ? 'http' : 'tcp', service) }] : []),
  ];
}
