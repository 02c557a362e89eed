import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@kedge/model';
import { parse } from 'yaml';
import { components } from './components.ts';
import { applyK8sSettings } from './k8s-settings.ts';
import { manifestOf } from './manifest.ts';

const OBJECTS: Readonly<Record<string, string>> = {
  Deployment: `
kind: Deployment
metadata: {name: istiod}
spec:
  replicas: 1
  strategy: {rollingUpdate: {maxSurge: 1}}
  template:
    metadata: {annotations: {a: b}}
    spec: {containers: [{name: discovery, image: i, env: [{name: A, value: a}]}, {name: other}]}`,
  HorizontalPodAutoscaler:
    'kind: HorizontalPodAutoscaler\nmetadata: {name: istiod}\nspec: {minReplicas: 1, maxReplicas: 5}',
  PodDisruptionBudget: 'kind: PodDisruptionBudget\nmetadata: {name: istiod}\nspec: {minAvailable: 1}',
  Service: 'kind: Service\nmetadata: {name: istiod}\nspec: {ports: [{port: 80, name: web}]}',
};
const object = (kind: string) => parse(OBJECTS[kind]!) as JsonObject;

function apply(k8s: string, key = 'pilot', values: JsonObject = {}, name = '') {
  const component = components.find((candidate) => candidate.key === key)!;
  const instance = { component, namespace: 'n', name, labels: {}, hub: '', k8s: parse(k8s) as JsonObject };
  const { manifests, warnings } = applyK8sSettings(
    Object.keys(OBJECTS).map((kind) => manifestOf(object(kind))),
    instance,
    values,
  );
  return { warnings, objects: new Map(manifests.map((manifest) => [manifest.kind, manifest.object])) };
}

describe('a setting of k8s', () => {
  const container = (fields: object) => ({
    spec: { template: { spec: { containers: [{ name: 'discovery', ...fields }, { name: 'other' }] } } },
  });
  const pod = (spec: object) => ({ spec: { template: { spec } } });

  test.each([
    ['affinity: {nodeAffinity: {}}', 'Deployment', pod({ affinity: { nodeAffinity: {} } })],
    ['nodeSelector: {a: b}', 'Deployment', pod({ nodeSelector: { a: 'b' } })],
    ['priorityClassName: high', 'Deployment', pod({ priorityClassName: 'high' })],
    ['tolerations: [{key: a}]', 'Deployment', pod({ tolerations: [{ key: 'a' }] })],
    ['securityContext: {fsGroup: 1}', 'Deployment', pod({ securityContext: { fsGroup: 1 } })],
    ['podAnnotations: {c: d}', 'Deployment', { spec: { template: { metadata: { annotations: { a: 'b', c: 'd' } } } } }],
    [
      'env: [{name: B, value: b}, {name: A, value: x}]',
      'Deployment',
      container({
        env: [
          { name: 'B', value: 'b' },
          { name: 'A', value: 'x' },
        ],
      }),
    ],
    ['imagePullPolicy: Never', 'Deployment', container({ imagePullPolicy: 'Never', image: 'i' })],
    ['readinessProbe: {periodSeconds: 3}', 'Deployment', container({ readinessProbe: { periodSeconds: 3 } })],
    ['resources: {limits: {cpu: 1}}', 'Deployment', container({ resources: { limits: { cpu: 1 } } })],
    ['replicaCount: 4', 'Deployment', { spec: { replicas: 4 } }],
    [
      'strategy: {rollingUpdate: {maxSurge: null, maxUnavailable: 2}}',
      'Deployment',
      { spec: { strategy: { rollingUpdate: { maxUnavailable: 2 } } } },
    ],
    ['hpaSpec: {maxReplicas: 9}', 'HorizontalPodAutoscaler', { spec: { minReplicas: 1, maxReplicas: 9 } }],
    [
      'service: {type: NodePort, ports: [{port: 80, nodePort: 30080}]}',
      'Service',
      { spec: { type: 'NodePort', ports: [{ port: 80, name: 'web', nodePort: 30080 }] } },
    ],
    ['serviceAnnotations: {a: b}', 'Service', { metadata: { name: 'istiod', annotations: { a: 'b' } } }],
  ])('%s', (k8s, kind, expected) => {
    const { objects, warnings } = apply(k8s);
    expect(objects.get(kind)).toMatchObject(expected);
    for (const other of Object.keys(OBJECTS)) if (other !== kind) expect(objects.get(other)).toEqual(object(other));
    expect(warnings).toEqual([]);
  });

  test('a budget says one limit', () => {
    const { objects } = apply('podDisruptionBudget: {maxUnavailable: 1}');
    expect(objects.get('PodDisruptionBudget')?.spec).toEqual({ maxUnavailable: 1 });
  });

  test('ports of a gateway are left to its chart', () => {
    const { objects } = apply('service: {type: NodePort, ports: [{port: 9}]}', 'ingressGateways', {}, 'istiod');
    expect(objects.get('Service')?.spec).toEqual({ type: 'NodePort', ports: [{ port: 80, name: 'web' }] });
  });

  test('is for the objects of the component: another name, a revision', () => {
    expect(apply('replicaCount: 4', 'pilot', { revision: 'canary' }).objects.get('Deployment')).toEqual(
      object('Deployment'),
    );
    expect(apply('replicaCount: 4', 'ingressGateways', {}, 'web').objects.get('Deployment')).toEqual(
      object('Deployment'),
    );
    expect(apply('replicaCount: 4', 'base').objects.get('Deployment')).toEqual(object('Deployment'));
  });
});

test('overlays come after settings, each patch by itself', () => {
  const k8s = `
replicaCount: 4
overlays:
- {kind: Deployment, name: istiod, patches: [{path: spec.replicas, value: 5}, {path: "spec.[0]", value: 1}, {path: spec.paused, value: true}]}
- {kind: Deployment, name: other, patches: [{path: spec, value: 1}]}
- {kind: Service, name: istiod}`;
  const { objects, warnings } = apply(k8s);
  expect(objects.get('Deployment')).toMatchObject({ spec: { replicas: 5, paused: true } });
  expect(warnings).toEqual([
    'components.pilot.k8s.overlays: Deployment istiod: path spec.[0]: [0] is looked for in an object',
  ]);
});
