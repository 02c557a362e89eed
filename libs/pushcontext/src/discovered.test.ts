import { expect, test } from '@jest/globals';
import { type MeshRead, setObject } from '@kedge/config';
import { query } from '@kedge/incremental';
import { defaultMeshConfig, parseConfigFile, parseFeatures, parseProxy } from '@kedge/model';
import { standardRegistries } from '@kedge/registry';
import { authorizationPolicyKeys } from './authorization-policies.ts';
import { destinationRule } from './destination-rules.ts';
import { selectedGateways } from './gateways.ts';
import { setMeshSettings } from './mesh-settings.ts';
import { namespaceMtlsMode } from './peer-authentication.ts';
import { PushContext } from './push-context.ts';
import { requestAuthenticationKeys } from './request-authentications.ts';
import { sidecarOf } from './sidecar.ts';
import { telemetryKeys } from './telemetries.ts';
import { virtualService, virtualServicesFor } from './virtual-services.ts';

const object = (group: string, kind: string, spec: string): string =>
  `{apiVersion: ${group}.istio.io/v1, kind: ${kind}, metadata: {name: it, namespace: shop}, spec: {${spec}}}`;

const OBJECTS = [
  object('networking', 'DestinationRule', 'host: web'),
  object('networking', 'VirtualService', 'hosts: [web], http: [{route: [{destination: {host: web}}]}]'),
  object('networking', 'Gateway', 'selector: {app: web}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]'), // prettier-ignore
  object('networking', 'Sidecar', 'egress: [{hosts: ["./*"]}]'),
  object('security', 'PeerAuthentication', 'mtls: {mode: STRICT}'),
  object('security', 'RequestAuthentication', 'jwtRules: [{issuer: shop, jwks: "{\\"keys\\":[]}"}]'),
  object('security', 'AuthorizationPolicy', ''),
  object('telemetry', 'Telemetry', 'accessLogging: [{providers: [{name: envoy}]}]'),
];

function meshWith(namespaceLabels: string): PushContext {
  return PushContext.empty().next((edit) => {
    setMeshSettings(edit, {
      mesh: { ...defaultMeshConfig, discoverySelectors: [{ matchLabels: { mesh: 'in' }, matchExpressions: [] }] },
      networks: { networks: {} },
      features: parseFeatures().features,
      environment: { domainSuffix: 'cluster.local', systemNamespace: 'istio-system' },
      registries: standardRegistries('Kubernetes'),
    });
    const namespace = `{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {${namespaceLabels}}}}`;
    for (const { config, diagnostics } of parseConfigFile([namespace, ...OBJECTS].join('\n---\n'), 'test.yaml')) {
      if (!config) throw new Error(JSON.stringify(diagnostics));
      setObject(edit, config, config);
    }
  });
}

/** Whether each kind of object has an effect on a proxy of the namespace that it is in. */
const effects = query('effects', (read: MeshRead): Readonly<Record<string, boolean>> => ({
  DestinationRule: read(destinationRule, 'web.shop.svc.cluster.local', 'shop') !== undefined,
  VirtualService: read(virtualServicesFor, 'shop', 'mesh').length > 0,
  delegate: read(virtualService, 'shop', 'it') !== undefined,
  Gateway: selectedGateways(read).length > 0,
  Sidecar: read(sidecarOf) !== undefined,
  PeerAuthentication: read(namespaceMtlsMode, 'shop') === 'STRICT',
  RequestAuthentication: read.by(requestAuthenticationKeys) !== '',
  AuthorizationPolicy: read.by(authorizationPolicyKeys, 'ALLOW') !== '',
  Telemetry: read.by(telemetryKeys) !== '',
}));

function effectsIn(push: PushContext, effective: boolean): readonly string[] {
  const parsed = parseProxy({
    id: 'sidecar~10.0.0.1~web.shop~shop.svc.cluster.local',
    metadata: { NAMESPACE: 'shop', CLUSTER_ID: 'Kubernetes', LABELS: { app: 'web' } },
  });
  if ('problem' in parsed) throw new Error(parsed.problem);
  const found = Object.entries(push.evaluate(parsed.proxy, effects));
  return found.flatMap(([kind, seen]) => (seen === effective ? [kind] : []));
}

test('objects of every kind count where discoverySelectors take in their namespace', () => {
  expect(effectsIn(meshWith('mesh: in'), false)).toEqual([]);
});

test('objects of no kind count where discoverySelectors leave out their namespace', () => {
  expect(effectsIn(meshWith('mesh: out'), true)).toEqual([]);
});
