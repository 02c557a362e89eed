import type { MeshRead } from '@kedge/config';
import { type Messages, packAny, validate } from '@kedge/envoy-api';
import { query } from '@kedge/incremental';
import type { Diagnostic, ExtensionProvider } from '@kedge/model';
import { alike, compareText, meshConfig, telemetries, telemetryKeys } from '@kedge/pushcontext';
import { ENVOY_RULES } from '../envoy-rules/envoy-rules.ts';
import { providerCluster } from '../provider-cluster.ts';
import { mergeAccessLogging, type ProviderLogging } from '../telemetry/access-logging.ts';
import { providerNamed } from '../telemetry/provider.ts';
import type { Side } from '../telemetry/workload-mode.ts';
import { fileLog, meshFormat, meshFormatViolations } from './access-log-file.ts';
import { expressionFilter } from './access-log-filter.ts';
import { jsonFormat, logFormatters, textFormat, USUAL_LINE } from './access-log-format.ts';
import {
  grpcLog,
  grpcLogConfig,
  LOG_NAMES,
  type LoggedHeaders,
  type LogService,
  PEERS,
  PEERS_OF_ALL_VERSIONS,
} from './access-log-grpc.ts';

type AccessLog = Messages['envoy.config.accesslog.v3.AccessLog'];
type ProviderLog = AccessLog | { readonly problem: string } | undefined;

/** A log of a provider, with the expression of CEL that must be true for what is logged. */
export interface ChosenLog {
  readonly log: AccessLog;
  readonly expression?: string;
}

export interface ProviderLogs {
  /** Absent where nobody chose a provider that there is: then the mesh's own settings count. */
  readonly logs?: readonly ChosenLog[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The logs of providers on one side of traffic, by the Telemetry objects that count; sorted by name. */
export const providerLogs = query(
  'providerLogs',
  (read: MeshRead, side: Side, keys: string): ProviderLogs => {
    const levels = telemetries(read, keys)
      .map(({ spec }) => spec.accessLogging)
      .filter(({ length }) => length > 0);
    const chosen = mergeAccessLogging(levels, meshConfig(read).defaultProviders?.accessLogging ?? [], side);
    const logs: ChosenLog[] = [];
    const diagnostics: Diagnostic[] = [];
    let isChosen = false;
    for (const [name, logging] of [...chosen].sort(([a], [b]) => compareText(a, b))) {
      const provider = providerNamed(read, name);
      const log = provider && providerLog(read, provider);
      if (!log) continue;
      const problem = 'problem' in log ? log.problem : problemOf(log, logging);
      if ('problem' in log || problem !== undefined) {
        diagnostics.push(unusable(provider.name, problem ?? ''));
        continue;
      }
      isChosen = true;
      if (logging !== 'disabled') logs.push({ log, ...logging });
    }
    return { ...(isChosen ? { logs } : {}), diagnostics };
  },
  alike,
);

/** What Envoy has against a log, or against the expression that filters it. */
function problemOf(log: AccessLog, logging: ProviderLogging): string | undefined {
  const { expression } = logging === 'disabled' ? {} : logging;
  const filtered = { ...log, ...(expression === undefined ? {} : { filter: expressionFilter(expression) }) };
  const [violation] = validate('envoy.config.accesslog.v3.AccessLog', filtered, ENVOY_RULES);
  return violation && `Envoy would refuse it: ${violation.path}: ${violation.message}`;
}

/** What is wrong with providers that the proxy should log by, and with what the mesh says of logs. */
export function accessLogDiagnostics(read: MeshRead): readonly Diagnostic[] {
  const keys = read(telemetryKeys);
  return [
    ...(['CLIENT', 'SERVER'] as const).flatMap((side) => read(providerLogs, side, keys).diagnostics),
    ...meshFormatViolations(meshConfig(read)).map(({ message }) =>
      meshDiagnostic('unusable-log-format', 'accessLogFormat', `logs have the usual format: ${message}`),
    ),
  ];
}

const unusable = (name: string, problem: string): Diagnostic =>
  meshDiagnostic(
    'unusable-extension-provider',
    `extensionProviders[${name}]`,
    `nothing is logged by the provider "${name}": ${problem}`,
  );

function meshDiagnostic(code: string, field: string, message: string): Diagnostic {
  return { kind: 'MeshConfig', namespace: '', name: '', severity: 'error', code, field, message };
}

/** The log of a provider; undefined for providers of other things. */
function providerLog(read: MeshRead, provider: ExtensionProvider): ProviderLog {
  const { name, envoyFileAccessLog, envoyHttpAls, envoyTcpAls, envoyOtelAls } = provider;
  if (envoyFileAccessLog) return fileProviderLog(read, name, envoyFileAccessLog);
  if (envoyHttpAls) {
    const { additionalRequestHeadersToLog, additionalResponseHeadersToLog, additionalResponseTrailersToLog } =
      envoyHttpAls;
    const headers: LoggedHeaders = {
      ...(additionalRequestHeadersToLog.length > 0 ? { additionalRequestHeadersToLog } : {}),
      ...(additionalResponseHeadersToLog.length > 0 ? { additionalResponseHeadersToLog } : {}),
      ...(additionalResponseTrailersToLog.length > 0 ? { additionalResponseTrailersToLog } : {}),
    };
    return atService(read, envoyHttpAls, LOG_NAMES.http, (service) => grpcLog('http', service, headers));
  }
  if (envoyTcpAls) return atService(read, envoyTcpAls, LOG_NAMES.tcp, (service) => grpcLog('tcp', service));
  return envoyOtelAls && openTelemetryLog(read, envoyOtelAls);
}

function fileProviderLog(
  read: MeshRead,
  name: string,
  { path, logFormat, omitEmptyValues = false }: NonNullable<ExtensionProvider['envoyFileAccessLog']>,
): AccessLog {
  // The provider that is there from the start writes as the mesh states.
  const isBuiltIn = name === 'envoy' && !logFormat && !omitEmptyValues;
  const format = logFormat?.labels
    ? jsonFormat(logFormat.labels as Parameters<typeof jsonFormat>[0], omitEmptyValues)
    : textFormat(logFormat?.text, omitEmptyValues);
  return fileLog(path || '/dev/stdout', isBuiltIn ? meshFormat(meshConfig(read)) : format);
}

interface ServiceSettings {
  readonly service: string;
  readonly port: number;
  readonly logName?: string;
  readonly filterStateObjectsToLog?: readonly string[];
}

function atService(
  read: MeshRead,
  { service, port, logName, filterStateObjectsToLog = [] }: ServiceSettings,
  usualName: string,
  log: (service: LogService) => AccessLog,
): ProviderLog {
  const found = providerCluster(read, service, port);
  if ('problem' in found) return found;
  return log({
    cluster: found.cluster,
    authority: found.host,
    logName: logName || usualName,
    state: filterStateObjectsToLog.length > 0 ? filterStateObjectsToLog : PEERS,
  });
}

function openTelemetryLog(read: MeshRead, settings: NonNullable<ExtensionProvider['envoyOtelAls']>): ProviderLog {
  const { text, labels = {} } = settings.logFormat ?? {};
  const line = text || USUAL_LINE;
  const attributes = Object.entries(labels)
    .map(([key, value]) => ({ key, value: { stringValue: typeof value === 'string' ? value : '' } }))
    .sort((a, b) => compareText(a.key, b.key));
  return atService(
    read,
    { ...settings, filterStateObjectsToLog: PEERS_OF_ALL_VERSIONS },
    LOG_NAMES.otel,
    (service) => ({
      name: 'envoy.access_loggers.open_telemetry',
      typedConfig: packAny('envoy.extensions.access_loggers.open_telemetry.v3.OpenTelemetryAccessLogConfig', {
        commonConfig: grpcLogConfig(service),
        disableBuiltinLabels: true,
        body: { stringValue: line },
        ...(attributes.length > 0 ? { attributes: { values: attributes } } : {}),
        ...logFormatters([line, ...Object.values(labels)]),
      }),
    }),
  );
}
