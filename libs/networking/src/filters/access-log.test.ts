import { describe, expect, test } from '@jest/globals';
import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { meshOf, proxyOf, serviceManifest } from '../testing/mesh.ts';
import { sidecarListenerDiagnostics } from '../listeners/sidecar-listeners.ts';
import { providerLogs } from './access-log-providers.ts';
import { type AccessLog, accessLogs, type LogPlace } from './access-log.ts';

const logsAt = query('testLogs', (read: MeshRead, place: string): readonly AccessLog[] =>
  accessLogs(read, 'outbound', place as LogPlace),
);

const logs = (mesh: string, place: LogPlace = 'http'): readonly AccessLog[] =>
  meshOf('', { mesh }).evaluate(proxyOf('web'), logsAt, place);

const formatOf = (log: AccessLog | undefined) => log?.typedConfig?.['logFormat'] as Readonly<Record<string, unknown>>;

describe('a file', () => {
  test('none without a path', () => {
    expect(logs('{}')).toEqual([]);
  });

  test('lines of text as Istio documents them', () => {
    const [log] = logs('accessLogFile: /dev/stdout');
    expect(log).toMatchObject({ name: 'envoy.access_loggers.file', typedConfig: { path: '/dev/stdout' } });
    expect(formatOf(log)).toEqual({
      textFormatSource: {
        inlineString:
          '[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% ' +
          '%RESPONSE_FLAGS% %RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS% ' +
          '"%UPSTREAM_TRANSPORT_FAILURE_REASON%" %BYTES_RECEIVED% %BYTES_SENT% %DURATION% ' +
          '%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" ' +
          '"%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%" %UPSTREAM_CLUSTER_RAW% %UPSTREAM_LOCAL_ADDRESS% ' +
          '%DOWNSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% %REQUESTED_SERVER_NAME% %ROUTE_NAME%\n',
      },
    });
  });

  test('a format of the user’s own ends in a newline; some operators need a formatter', () => {
    expect(formatOf(logs('accessLogFile: /f\naccessLogFormat: "x"')[0])).toEqual({
      textFormatSource: { inlineString: 'x\n' },
    });
    expect(formatOf(logs('accessLogFile: /f\naccessLogFormat: "%REQ_WITHOUT_QUERY(:PATH)%"')[0])).toMatchObject({
      formatters: [{ name: 'envoy.formatter.req_without_query' }],
    });
  });

  test('JSON, with the user’s fields or the usual ones', () => {
    const json = 'accessLogFile: /f\naccessLogEncoding: JSON\n';
    expect(formatOf(logs(`${json}accessLogFormat: '{"a": "%PROTOCOL%"}'`)[0])).toMatchObject({
      jsonFormat: { a: '%PROTOCOL%' },
    });
    const usual = formatOf(logs(json)[0])['jsonFormat'] as object;
    expect(Object.keys(usual)).toHaveLength(24);
    expect(formatOf(logs(`${json}accessLogFormat: "not JSON"`)[0])).toMatchObject({ jsonFormat: usual });
  });
});

describe('listeners', () => {
  test('log connections that no chain takes', () => {
    expect(logs('accessLogFile: /f', 'listener')).toMatchObject([
      { filter: { responseFlagFilter: { flags: ['NR'] } } },
    ]);
    expect(logs('accessLogFile: /f\ndisableEnvoyListenerLog: true', 'listener')).toEqual([]);
  });
});

test('the log service, beside the file', () => {
  const mesh = 'accessLogFile: /f\nenableEnvoyAccessLogService: true';
  const names = (place: LogPlace): unknown =>
    logs(mesh, place).map(({ name, typedConfig }) => [
      name,
      (typedConfig?.['commonConfig'] as { logName?: string })?.logName,
    ]);
  expect(names('http')).toEqual([
    ['envoy.access_loggers.file', undefined],
    ['envoy.access_loggers.http_grpc', 'http_envoy_accesslog'],
  ]);
  expect(names('tcp')).toEqual([
    ['envoy.access_loggers.file', undefined],
    ['envoy.tcp_grpc_access_log', 'tcp_envoy_accesslog'],
  ]);
});

test('default providers take the place of both', () => {
  const mesh = `
accessLogFile: /f
accessLogFormat: mine
defaultProviders: {accessLogging: [own, envoy]}
extensionProviders:
- {name: own, envoyFileAccessLog: {path: /own, omitEmptyValues: true, logFormat: {labels: {a: "%PROTOCOL%"}}}}`;
  expect(logs(mesh)).toMatchObject([
    { typedConfig: { path: '/dev/stdout', logFormat: { textFormatSource: { inlineString: 'mine\n' } } } },
    { typedConfig: { path: '/own', logFormat: { jsonFormat: { a: '%PROTOCOL%' }, omitEmptyValues: true } } },
  ]);
});

describe('providers that are services', () => {
  const mesh = (provider: string): string => `
defaultProviders: {accessLogging: [p]}
extensionProviders:
- {name: p, ${provider}: {service: observe/logs.observe.svc.cluster.local, port: 4317, logFormat: {text: x, labels: {b: B, a: A}}}}`;
  const service = serviceManifest('logs', { namespace: 'observe' });
  const at = (text: string, place: LogPlace = 'http') =>
    meshOf(service, { mesh: text }).evaluate(proxyOf('web'), logsAt, place);
  const grpcService = {
    envoyGrpc: {
      clusterName: 'outbound|4317||logs.observe.svc.cluster.local',
      authority: 'logs.observe.svc.cluster.local',
    },
  };

  test.each([
    ['envoyHttpAls', 'envoy.access_loggers.http_grpc', 'http_envoy_accesslog'],
    ['envoyTcpAls', 'envoy.tcp_grpc_access_log', 'tcp_envoy_accesslog'],
  ])('%s', (kind, name, logName) => {
    const text = mesh(kind).replace(/, logFormat.*/, '}}');
    expect(at(text)).toMatchObject([{ name, typedConfig: { commonConfig: { logName, grpcService } } }]);
  });

  test('OpenTelemetry', () => {
    expect(at(mesh('envoyOtelAls'), 'listener')).toMatchObject([
      {
        name: 'envoy.access_loggers.open_telemetry',
        filter: { responseFlagFilter: { flags: ['NR'] } },
        typedConfig: {
          commonConfig: { logName: 'otel_envoy_accesslog', grpcService },
          body: { stringValue: 'x' },
          attributes: {
            values: [
              { key: 'a', value: { stringValue: 'A' } },
              { key: 'b', value: { stringValue: 'B' } },
            ],
          },
        },
      },
    ]);
  });

  test('one whose service is not there is named, and the mesh’s own log takes its place', () => {
    const push = meshOf('', { mesh: `accessLogFile: /f\n${mesh('envoyOtelAls')}` });
    expect(push.evaluate(proxyOf('web'), logsAt, 'http')).toMatchObject([{ typedConfig: { path: '/f' } }]);
    expect(push.evaluate(proxyOf('web'), providerLogs, 'CLIENT', '').diagnostics).toMatchObject([
      { kind: 'MeshConfig', field: 'extensionProviders[p]', code: 'unusable-extension-provider' },
    ]);
  });
});

describe('what Envoy would refuse', () => {
  test('a format of the mesh gives way to the usual one, and is named', () => {
    const push = meshOf('', { mesh: 'accessLogFile: /f\naccessLogFormat: "%BOGUS%"' });
    const [log] = push.evaluate(proxyOf('web'), logsAt, 'http');
    expect(formatOf(log)).toEqual(formatOf(logs('accessLogFile: /f')[0]));
    expect(push.evaluate(proxyOf('web'), sidecarListenerDiagnostics)).toMatchObject([
      { kind: 'MeshConfig', field: 'accessLogFormat', code: 'unusable-log-format' },
    ]);
  });

  test.each([
    ['a format of a provider', 'logFormat: {text: "%REQ()%"}', ''],
    ['an expression of Telemetry', '', 'filter: {expression: "foo()"}, '],
  ])('%s: nothing is logged by the provider, which is named', (_what, settings, filter) => {
    const mesh = `extensionProviders: [{name: p, envoyFileAccessLog: {path: /p, ${settings}}}]`;
    const telemetry = `
apiVersion: telemetry.istio.io/v1
kind: Telemetry
metadata: {name: t, namespace: istio-system}
spec: {accessLogging: [{${filter}providers: [{name: p}]}]}`;
    const push = meshOf(telemetry, { mesh });
    expect(push.evaluate(proxyOf('web'), logsAt, 'http')).toEqual([]);
    expect(push.evaluate(proxyOf('web'), sidecarListenerDiagnostics)).toMatchObject([
      { kind: 'MeshConfig', field: 'extensionProviders[p]', code: 'unusable-extension-provider' },
      { kind: 'MeshConfig' },
    ]);
  });
});
