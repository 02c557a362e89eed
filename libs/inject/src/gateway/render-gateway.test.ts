import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InjectionValues } from '../request.ts';
import { gatewayClasses } from './gateway-class.ts';
import type { ManagedGateway } from './managed-gateway.ts';
import { type GatewayRequest, renderGateway } from './render-gateway.ts';

const NAMES = ['kube-gateway', 'waypoint', 'agentgateway', 'agentgateway-waypoint'];
const templates = Object.fromEntries(
  NAMES.map((name) => [name, readFileSync(join(import.meta.dirname, '../../templates', `${name}.yaml`), 'utf8')]),
);

const values = {
  global: {
    ...{ hub: 'hub', tag: '1', istioNamespace: 'istio-system', pilotCertProvider: 'istiod', caName: '', network: '' },
    ...{ sds: { token: { aud: 'ca' } }, logging: { level: 'info' }, multiCluster: { clusterName: '' } },
    proxy: { image: 'proxyv2', logLevel: 'warning', componentLogLevel: '', clusterDomain: 'cluster.local' },
  },
} satisfies InjectionValues;

type Spec = Partial<ManagedGateway['spec']>;
type Metadata = Partial<ManagedGateway['metadata']>;

type Customizations = readonly Readonly<Record<string, string>>[];

function render(controller: string, spec: Spec = {}, metadata: Metadata = {}, more: Partial<GatewayRequest> = {}) {
  const gatewayClass = gatewayClasses.find((item) => item.controller === `istio.io/${controller}`)!;
  const gateway = {
    metadata: { name: 'gw', namespace: 'ns', uid: 'u1', ...metadata },
    spec: { gatewayClassName: 'c', ...spec },
  };
  const common = { templates, values, mesh: { trustDomain: 'td' }, proxyConfig: {}, proxyDefaults: {} };
  return renderGateway({ ...common, gateway, gatewayClass, clusterId: 'k', revision: 'r1', ...more });
}

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: object; readonly annotations: object };
  readonly spec: Readonly<Record<string, unknown>>;
}

const find = (objects: readonly unknown[], kind: string): Rendered =>
  (objects as readonly Rendered[]).find((object) => object.kind === kind)!;

describe('what is made for a gateway', () => {
  test.each([
    ['gateway-controller', 'gw-c', 'LoadBalancer', 'hub/proxyv2:1'],
    ['mesh-controller', 'gw', 'ClusterIP', 'hub/proxyv2:1'],
    ['eastwest-controller', 'gw', 'LoadBalancer', 'hub/proxyv2:1'],
    ['agentgateway-controller', 'gw', 'LoadBalancer', 'hub/agentgateway:1'],
    ['agentgateway-waypoint-controller', 'gw', 'ClusterIP', 'hub/agentgateway:1'],
  ])('of %s is called %s, with a service of type %s and image %s', (controller, name, type, image) => {
    const objects = render(controller);
    expect(objects.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Deployment', 'Service']);
    for (const object of objects as unknown as readonly Rendered[]) {
      expect(object.metadata).toMatchObject({
        name,
        namespace: 'ns',
        labels: {
          'gateway.networking.k8s.io/gateway-name': 'gw',
          'gateway.istio.io/managed': `istio.io-${controller}`,
        },
        ownerReferences: [{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway', name: 'gw', uid: 'u1' }],
      });
    }
    expect(find(objects, 'Service').spec).toMatchObject({ type });
    expect(find(objects, 'Deployment').spec).toMatchObject({ template: { spec: { containers: [{ image }] } } });
  });

  test('annotations of the gateway choose names and type, and stay with it', () => {
    const annotations = {
      'gateway.istio.io/name-override': 'other',
      'gateway.istio.io/service-account': 'sa',
      'networking.istio.io/service-type': 'NodePort',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
    };
    const objects = render('gateway-controller', {}, { annotations });
    expect(find(objects, 'ServiceAccount').metadata.name).toBe('sa');
    expect(find(objects, 'Deployment').metadata).toMatchObject({
      name: 'other',
      annotations: { 'networking.istio.io/service-type': 'NodePort' },
    });
    expect(Object.keys(find(objects, 'Service').metadata.annotations)).toEqual(['networking.istio.io/service-type']);
    expect(find(objects, 'Service').spec.type).toBe('NodePort');
  });

  test('ports are those of the listeners, each once and by a name of its own', () => {
    const listener = (name: string, port: number, protocol = 'HTTP') => ({ name, port, protocol });
    const long = 'x'.repeat(70);
    const listeners = [
      ...[listener('a.b', 80), listener('again', 80), listener('a-b', 81), listener('s', 443, 'HTTPS')],
      ...[listener(long, 90), listener(`${long}y`, 91)],
    ];
    const ports = find(render('gateway-controller', { listeners }, {}, { hasQuic: true }), 'Service').spec.ports;
    expect(
      (ports as readonly { name: string; port: number; protocol: string }[]).map((p) => [p.name, p.port, p.protocol]),
    ).toEqual([
      ['status-port', 15_021, 'TCP'],
      ['a-b', 80, 'TCP'],
      ['a-b-81', 81, 'TCP'],
      ['s', 443, 'TCP'],
      ['s-quic', 443, 'UDP'],
      ['x'.repeat(63), 90, 'TCP'],
      [`${'x'.repeat(60)}-91`, 91, 'TCP'],
    ]);
  });

  test('an address is that of the load balancer', () => {
    const addresses = [{ value: '1.2.3.4' }];
    expect(find(render('gateway-controller', { addresses }), 'Service').spec.loadBalancerIP).toBe('1.2.3.4');
    expect(find(render('mesh-controller', { addresses }), 'Service').spec.loadBalancerIP).toBeUndefined();
  });

  test('labels come from the infrastructure, else from the gateway where they are copied', () => {
    const metadata = { labels: { own: 'x' } };
    const infrastructure = { labels: { infra: 'y', 'gateway.networking.k8s.io/z': 'z' } };
    const labelsOf = (spec: Spec, copiesMetadata: boolean) =>
      Object.keys(find(render('gateway-controller', spec, metadata, { copiesMetadata }), 'Service').metadata.labels);
    expect(labelsOf({ infrastructure }, true)).toEqual(expect.arrayContaining(['infra']));
    expect(labelsOf({ infrastructure }, true)).not.toEqual(expect.arrayContaining(['own']));
    expect(labelsOf({ infrastructure }, true)).not.toEqual(expect.arrayContaining(['gateway.networking.k8s.io/z']));
    expect(labelsOf({}, true)).toEqual(expect.arrayContaining(['own', 'istio.io/dataplane-mode']));
    expect(labelsOf({}, false)).not.toEqual(expect.arrayContaining(['own']));
  });

  test('a waypoint belongs to the network of the installation', () => {
    const networked = { ...values, global: { ...values.global, network: 'n1' } };
    const labels = (controller: string, metadata: Metadata = {}) =>
      find(render(controller, {}, metadata, { values: networked }), 'Service').metadata.labels;
    expect(labels('mesh-controller')).toMatchObject({ 'topology.istio.io/network': 'n1' });
    expect(labels('mesh-controller', { labels: { 'topology.istio.io/network': 'n2' } })).toMatchObject({
      'topology.istio.io/network': 'n2',
    });
    expect(Object.keys(labels('gateway-controller'))).not.toContain('topology.istio.io/network');
  });

  test('customisations are merged, those of the gateway last; only they make an autoscaler', () => {
    const customizations: Customizations = [
      { deployment: 'spec: {replicas: 2}', horizontalPodAutoscaler: 'spec: {maxReplicas: 5}' },
      { deployment: 'spec: {replicas: 3}' },
    ];
    const objects = render('gateway-controller', {}, {}, { customizations });
    expect(objects.map(({ kind }) => kind)).toEqual([
      ...['ServiceAccount', 'Deployment', 'Service', 'HorizontalPodAutoscaler'],
    ]);
    expect(find(objects, 'Deployment').spec.replicas).toBe(3);
    expect(find(objects, 'HorizontalPodAutoscaler').spec).toMatchObject({
      maxReplicas: 5,
      scaleTargetRef: { name: 'gw-c' },
    });
  });

  test.each([
    [{ daemonSet: '{}' }, 'unsupported overlay "daemonSet"'],
    [{ service: 'metadata: {name: x}' }, 'illegal metadata change'],
    [{ service: 'kind: Pod' }, 'illegal metadata change'],
    [{ service: 'metadata: {ownerReferences: []}', deployment: 'metadata: {namespace: y}' }, 'illegal metadata change'],
    [{ service: '- 1' }, 'overlay "service" is no object'],
  ])('%j is refused', (customization, message) => {
    expect(() => render('gateway-controller', {}, {}, { customizations: [customization] as Customizations })).toThrow(
      message,
    );
  });

  test('a template that is not there is an error', () => {
    expect(() => render('mesh-controller', {}, {}, { templates: {} })).toThrow('there is no template "waypoint"');
  });
});
