import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@kedge/model';
import { componentValues } from './component-values.ts';
import { components, instancesOf } from './components.ts';
import { mergeInputs } from './merge-inputs.ts';

/** The values of each instance of a component of an IstioOperator with a spec. */
function valuesOf(key: string, spec: string): readonly JsonObject[] {
  const operator = mergeInputs({ files: [{ name: 'a', text: `spec: ${spec}` }] });
  const component = components.find((candidate) => candidate.key === key)!;
  const shared = operator.spec.values as JsonObject;
  return instancesOf(component, operator).map((instance) => componentValues(shared, instance));
}

describe('the values of a component', () => {
  test.each([
    ['pilot', '{components: {pilot: {hub: h, tag: 2}}}', { pilot: { hub: 'h', tag: 2 } }],
    [
      'pilot',
      '{components: {pilot: {k8s: {hpaSpec: {minReplicas: 2, maxReplicas: 7}, replicaCount: 3}}}}',
      { pilot: { autoscaleMin: 2, autoscaleMax: 7, replicaCount: 3 } },
    ],
    [
      'cni',
      '{components: {cni: {enabled: true, k8s: {replicaCount: 3}}}}',
      { cni: undefined, pilot: { cni: { enabled: true } } },
    ],
    [
      'pilot',
      '{components: {pilot: {k8s: {resources: {requests: {cpu: 1000m, memory: 1Gi}}}}}}',
      { pilot: { resources: { requests: { cpu: '1' } } } },
    ],
    [
      'ingressGateways',
      '{components: {ingressGateways: [{name: web, label: {a: b}}]}}',
      { gateways: { 'istio-ingressgateway': { name: 'web', labels: { a: 'b' } } } },
    ],
    [
      'ingressGateways',
      '{components: {ingressGateways: [{name: web, k8s: {service: {ports: [{port: 80}, {port: 81, targetPort: 8081}]}}}]}}',
      {
        gateways: {
          'istio-ingressgateway': {
            ports: [
              { port: 80, targetPort: 0 },
              { port: 81, targetPort: 8081 },
            ],
          },
        },
      },
    ],
    [
      'ztunnel',
      '{profile: ambient, values: {ztunnel: {logLevel: debug}}}',
      { logLevel: 'debug', resourceName: 'ztunnel', profile: 'ambient', global: { tag: 'latest' }, pilot: undefined },
    ],
  ])('%s: %s', (key, spec, expected) => {
    const [values] = valuesOf(key, spec);
    expect({
      ...values,
      ...Object.fromEntries(Object.keys(expected).map((name) => [name, values?.[name]])),
    }).toMatchObject(expected);
  });

  test('labels of a gateway take the place of those of the values', () => {
    const [values] = valuesOf(
      'ingressGateways',
      '{values: {gateways: {istio-ingressgateway: {labels: {app: x}, env: {A: b}}}}}',
    );
    expect(values).toMatchObject({ gateways: { 'istio-ingressgateway': { labels: {}, env: { A: 'b' } } } });
    expect((values?.gateways as Record<string, JsonObject>)['istio-ingressgateway']?.labels).toEqual({});
  });
});

describe('instances', () => {
  test.each([
    ['base', '{}', ['istio-system/']],
    ['pilot', '{components: {pilot: {enabled: false}}}', []],
    ['cni', '{}', []],
    ['cni', '{components: {cni: {enabled: true, namespace: kube-system}}}', ['kube-system/']],
    [
      'ingressGateways',
      '{components: {ingressGateways: [{name: a}, {name: b, enabled: false}, {name: c, namespace: d}]}}',
      ['istio-system/a', 'd/c'],
    ],
    ['egressGateways', '{}', []],
    [
      'egressGateways',
      '{values: {gateways: {istio-egressgateway: {enabled: true}}}}',
      ['istio-system/istio-egressgateway'],
    ],
    ['pilot', '{values: {global: {istioNamespace: mesh}}}', ['mesh/']],
  ])('%s of %s', (key, spec, expected) => {
    const operator = mergeInputs({ files: [{ name: 'a', text: `spec: ${spec}` }] });
    const component = components.find((candidate) => candidate.key === key)!;
    expect(instancesOf(component, operator).map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(expected);
  });
});
