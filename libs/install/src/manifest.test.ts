import { describe, expect, test } from '@jest/globals';
import { definitionIn, manifestOf, printManifests, sortManifests } from './manifest.ts';

const object = (kind: string, name: string, apiVersion = 'v1') => manifestOf({ apiVersion, kind, metadata: { name } });

test('objects come in the order in which they are applied', () => {
  const objects = [
    object('Service', 'a'),
    object('HorizontalPodAutoscaler', 'a', 'autoscaling/v2'),
    object('Deployment', 'b', 'apps/v1'),
    object('Deployment', 'a', 'apps/v1'),
    object('Role', 'a', 'rbac.authorization.k8s.io/v1'),
    object('ConfigMap', 'a'),
    object('ValidatingWebhookConfiguration', 'a', 'admissionregistration.k8s.io/v1'),
    object('ClusterRoleBinding', 'a', 'rbac.authorization.k8s.io/v1'),
    object('ClusterRole', 'a', 'rbac.authorization.k8s.io/v1'),
    object('ServiceAccount', 'a'),
    object('CustomResourceDefinition', 'a', 'apiextensions.k8s.io/v1'),
  ];
  expect(sortManifests(objects).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    ...['CustomResourceDefinition a', 'ServiceAccount a', 'ClusterRole a', 'ClusterRoleBinding a'],
    ...['ValidatingWebhookConfiguration a', 'ConfigMap a', 'Deployment a', 'Deployment b', 'Role a'],
    ...['HorizontalPodAutoscaler a', 'Service a'],
  ]);
});

test('documents have sorted keys and end with a separator', () => {
  expect(printManifests([manifestOf({ kind: 'B', apiVersion: 'v1', a: { d: 1, c: 'on' } })])).toBe(
    'a:\n  c: "on"\n  d: 1\napiVersion: v1\nkind: B\n---\n',
  );
});

describe('a definition', () => {
  const text = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    a: b
  name: webs.example.org
spec: {group: example.org}`;

  test('is parsed only when it is looked into, and printed as it was written', () => {
    let parsed = 0;
    const definition = definitionIn(`\n${text}\n`, () => ({ parsed: ++parsed }));
    expect(definition).toMatchObject({
      group: 'apiextensions.k8s.io',
      kind: 'CustomResourceDefinition',
      name: 'webs.example.org',
    });
    expect(definition?.print()).toBe(text);
  });

  test.each([
    ['kind: CustomResourceDefinition'],
    [text.replace('name:', 'nam:')],
    [text.replace('Custom', 'Other')],
    [''],
  ])('%j is none that can be told without a look', (other) => {
    expect(definitionIn(other, () => ({}))).toBeUndefined();
  });
});
