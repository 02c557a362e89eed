import { describe, expect, test } from '@jest/globals';
import { isInjectionRequired } from './policy.ts';

const never = [{}, { matchExpressions: [{ key: 'never', operator: 'Exists' }] }];
const always = [{ matchLabels: { always: 'yes' } }];
const inject = (value: string) => ({ 'sidecar.istio.io/inject': value });

describe('isInjectionRequired', () => {
  test.each([
    ['the policy decides', 'enabled', {}, {}, true],
    ['the policy decides', 'disabled', {}, {}, false],
    ['an unknown policy never injects', 'maybe', inject('true'), {}, false],
    ['the label comes before the annotation', 'enabled', inject('false'), inject('true'), false],
    ['an empty label hides the annotation', 'disabled', inject(''), inject('true'), false],
    ['the pod comes before selectors', 'enabled', { never: '', ...inject('true') }, {}, true],
    ['never comes before always', 'disabled', { never: '', always: 'yes' }, {}, false],
    ['a selected pod is injected', 'disabled', { always: 'yes' }, {}, true],
  ])('%s: %s', (_, policy, labels: Record<string, string>, annotations: Record<string, string>, expected) => {
    const config = { policy, neverInjectSelector: never, alwaysInjectSelector: always };
    expect(isInjectionRequired(config, { metadata: { labels, annotations }, spec: {} })).toBe(expected);
  });

  test.each([
    ['host network', { namespace: 'a' }, { hostNetwork: true }],
    ['a namespace of the cluster', { namespace: 'kube-system' }, {}],
  ])('%s is not injected, whatever the pod says', (_, metadata, spec) => {
    expect(
      isInjectionRequired({ policy: 'enabled' }, { metadata: { ...metadata, labels: inject('true') }, spec }),
    ).toBe(false);
  });
});
