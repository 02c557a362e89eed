import { describe, expect, test } from '@jest/globals';
import { mergeInputs } from './merge-inputs.ts';
import { profileNames } from './profiles.ts';

const file = (text: string, name = 'a.yaml') => ({ name, text });
const values = (operator: ReturnType<typeof mergeInputs>) => operator.spec.values;

describe('inputs are merged', () => {
  test('the default profile, where none is named', () => {
    const { namespace, spec } = mergeInputs({});
    expect(namespace).toBe('istio-system');
    expect(spec).toMatchObject({
      hub: 'registry.istio.io/testing',
      components: { pilot: { enabled: true }, ingressGateways: [{ name: 'istio-ingressgateway', enabled: true }] },
      values: {
        global: { hub: 'registry.istio.io/testing', tag: 'latest' },
        pilot: { enabled: true, cni: { enabled: false } },
      },
    });
  });

  test('profile, then files in their order, then flags', () => {
    const files = [
      file('spec: {profile: demo, hub: one, tag: 1, values: {pilot: {traceSampling: 1}}}'),
      file('spec: {hub: two}', 'b.yaml'),
    ];
    const operator = mergeInputs({ files, sets: ['hub=three', 'revision=canary'] });
    expect(operator.spec).toMatchObject({
      hub: 'three',
      components: { egressGateways: [{ enabled: true }] },
      values: { profile: 'demo', revision: 'canary', global: { hub: 'three', tag: '1' }, pilot: { traceSampling: 1 } },
    });
  });

  test('mesh config is one of the values, over which what the spec says comes', () => {
    const text =
      'spec: {meshConfig: {rootNamespace: a}, values: {meshConfig: {rootNamespace: b, enableTracing: true}}}';
    expect(values(mergeInputs({ files: [file(text)] }))).toMatchObject({
      meshConfig: { rootNamespace: 'a', enableTracing: true },
    });
  });

  test('hub, tag and revision of values come over those of the spec', () => {
    const sets = ['values.global.hub=b', 'hub=a', 'values.revision=d', 'revision=c'];
    expect(values(mergeInputs({ sets }))).toMatchObject({ global: { hub: 'b' }, revision: 'd' });
  });

  test('which components there are is said by components, not by values', () => {
    const sets = ['values.pilot.cni.enabled=true', 'values.pilot.enabled=false', 'values.pilot.image=x'];
    expect(values(mergeInputs({ sets }))).toMatchObject({
      pilot: { enabled: true, cni: { enabled: false }, image: 'x' },
    });
  });

  test('components are told of each other', () => {
    const sets = ['components.cni.enabled=true', 'values.global.istioNamespace=mesh'];
    const operator = mergeInputs({ sets });
    expect(operator.namespace).toBe('mesh');
    expect(values(operator)).toMatchObject({ pilot: { cni: { enabled: true } } });
  });

  test.each(profileNames.map((name) => [name]))('profile %s', (name) => {
    expect(mergeInputs({ sets: [`profile=${name}`] }).spec.profile).toBe(name);
  });

  test.each([
    [{ sets: ['profile=dmeo'] }, 'profile "dmeo" not found; there are ambient, default, demo'],
    [{ files: [file('a: [')] }, /^unable to parse file: a\.yaml:1: /],
    [{ files: [file('kind: A\n---\nkind: B')] }, 'a.yaml contains multiple IstioOperator CRs'],
    [{ files: [file('- 1')] }, 'a.yaml holds no object'],
  ])('%j', (inputs, message) => {
    expect(() => mergeInputs(inputs)).toThrow(message);
  });
});
