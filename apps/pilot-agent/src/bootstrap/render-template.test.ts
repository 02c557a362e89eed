import { expect, test } from '@jest/globals';
import { defaultProxyConfig, mergeProxyConfig } from '@kedge/model';
import { buildBootstrap } from './bootstrap.ts';
import type { NodeMetadata } from './node-metadata.ts';
import { renderTemplate } from './render-template.ts';
import { templateParameters } from './template-parameters.ts';

const metadata: NodeMetadata = {
  INSTANCE_IPS: '10.0.0.1,fd00::1',
  METADATA_DISCOVERY: 'false',
  ENVOY_STATUS_PORT: 15021,
  ENVOY_PROMETHEUS_PORT: 15090,
  LABELS: { 'topology.istio.io/locality': 'region.zone' },
};

function render(template: string, config: object = {}): string {
  const options = {
    nodeId: 'sidecar~10.0.0.1~web.shop~shop.svc.cluster.local',
    metadata,
    proxyConfig: mergeProxyConfig(defaultProxyConfig, config).value,
    xdsSocket: './XDS',
    deltaXds: true,
    logAsJson: false,
    dualStack: true,
    statusProxyProtocol: false,
    hostIp: '192.0.2.7',
    compliancePolicy: '',
    stripFragment: true,
    missingExtensions: new Set<string>(),
  };
  return renderTemplate('custom.tmpl', template, templateParameters(options, buildBootstrap(options).bootstrap));
}

test.each([
  ['{{ .nodeID }} {{ .nodeType }}', {}, 'sidecar~10.0.0.1~web.shop~shop.svc.cluster.local sidecar'],
  ['{{ .region }}/{{ .zone }}/{{ .sub_zone | default "-" }}', {}, 'region/zone/-'],
  ['{{ .config.ProxyAdminPort }} {{ .config.StatusPort }}', { statusPort: 15020 }, '15000 15020'],
  ['{{ .localhost }} {{ .additional_wildcard }} {{ .dns_lookup_family }}', {}, '127.0.0.1 :: ALL'],
  ['{{ .global_downstream_max_connections }}', {}, '2147483647'],
  ['{{ if .zipkin }}yes{{ else }}no{{ end }}', {}, 'no'],
  [
    '{{ .zipkin }}',
    { tracing: { zipkin: { address: '$(HOST_IP):9411' } } },
    '{"address":"192.0.2.7","portValue":9411}',
  ],
  ['{{ .statsd }}', { statsdUdpAddress: '10.9.9.9:9125' }, '{"address":"10.9.9.9","portValue":9125}'],
  ['{{ range .extraStatTags }}<{{ . }}>{{ end }}', { extraStatTags: ['a', 'b'] }, '<a><b>'],
  ['{{ toJSON .metadata.LABELS }}', {}, '{"topology.istio.io/locality":"region.zone"}'],
  ['{{ .discovery_host }}', { discoveryAddress: 'istiod.other:15012' }, 'istiod.other'],
  ['{{ .xds_type }} {{ .envoy_prometheus_port }}', {}, 'DELTA_GRPC 15090'],
])('%s with %j is %s', (template, config, expected) => {
  expect(render(template, config)).toBe(expected);
});

test('what is JSON can be read as such', () => {
  const text = render('[{{ .meta_json_str }}, {{ .runtime_flags }}]', { runtimeValues: { x: 'true' } });
  expect(JSON.parse(text)).toMatchObject([{ ENVOY_STATUS_PORT: 15021 }, { x: true }]);
});

test('a mistake is told with its place', () => {
  expect(() => render('{{ .nodeID')).toThrow('custom.tmpl');
  expect(() => render('\n{{ nothing }}')).toThrow(/custom\.tmpl.*2/);
});
