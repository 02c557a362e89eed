import { describe, expect, test } from '@jest/globals';
import { parseConfigFile } from '../parse/yaml-documents.ts';
import type { KubernetesOf } from './registry.ts';

const read = (text: string) => parseConfigFile(text, 'objects.yaml');

describe('kinds of Kubernetes', () => {
  test('a pod tells its controller, and fields that mean nothing to a mesh are no finding', () => {
    const [parsed] = read(`
apiVersion: v1
kind: Pod
metadata:
  name: web-5d-x
  namespace: shop
  ownerReferences: [{kind: ReplicaSet, name: web-5d, controller: true, uid: "1"}]
spec: {serviceAccountName: web, tolerations: [{key: a}], containers: [{name: app, image: web}]}
status: {podIP: 10.1.0.5, podIPs: [{ip: 10.1.0.5}], qosClass: Burstable}
`);
    expect(parsed?.diagnostics).toEqual([]);
    const pod = parsed?.config as KubernetesOf<'Pod'>;
    expect(pod).toMatchObject({ kind: 'Pod', group: '', version: 'v1', namespace: 'shop', name: 'web-5d-x' });
    expect(pod.spec).toEqual({
      serviceAccountName: 'web',
      containers: [{ name: 'app', ports: [] }],
      controller: { kind: 'ReplicaSet', name: 'web-5d' },
      initContainers: [],
    });
    expect(pod.status).toEqual({
      phase: '',
      podIP: '10.1.0.5',
      podIPs: [{ ip: '10.1.0.5' }],
      hostIP: '',
      conditions: [],
    });
  });

  test('kinds without a spec are read from the top of the object', () => {
    const [parsed] = read(`
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: shop}
addressType: IPv4
endpoints: [{addresses: [10.1.0.5], conditions: {ready: true}}]
`);
    expect(parsed?.config?.spec).toEqual({
      addressType: 'IPv4',
      ports: [],
      endpoints: [{ addresses: ['10.1.0.5'], conditions: { ready: true }, deprecatedTopology: {} }],
    });
  });

  test('a wrong type names field and line', () => {
    const [parsed] = read(
      'apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n  - {name: a, port: [1]}\n',
    );
    expect(parsed?.config).toBeUndefined();
    expect(parsed?.diagnostics).toMatchObject([{ severity: 'error', field: 'spec.ports[0].port', line: 6 }]);
  });

  test('kinds of the Gateway API are known to be not in use', () => {
    const [parsed] = read('apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: a}\n');
    expect(parsed?.config).toBeUndefined();
    expect(parsed?.diagnostics).toMatchObject([{ severity: 'warning', code: 'kind-not-in-use' }]);
  });
});
