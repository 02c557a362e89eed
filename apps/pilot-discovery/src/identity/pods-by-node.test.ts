import { expect, test } from '@jest/globals';
import { MemorySource } from '@kedge/config';
import { parseConfig } from '@kedge/model';
import { PodsByNode } from './pods-by-node.ts';

function pod(name: string, node: string, phase = 'Running') {
  const { config } = parseConfig({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', uid: `uid-${name}` },
    spec: { nodeName: node, serviceAccountName: 'reviews', containers: [] },
    status: { phase, podIP: '10.0.0.1' },
  });
  return config!;
}

test('knows whose pods run on a node, as they come and go', () => {
  const source = new MemorySource();
  using pods = new PodsByNode(source);
  const reviews = { namespace: 'shop', serviceAccount: 'reviews' };
  expect(pods.runsOn('node-1', reviews)).toBe(false);
  source.put(pod('a', 'node-1'));
  expect(pods.runsOn('node-1', reviews)).toBe(true);
  expect(pods.runsOn('node-2', reviews)).toBe(false);
  expect(pods.runsOn('node-1', { ...reviews, serviceAccount: 'ratings' })).toBe(false);
  expect(pods.pod('shop', 'a')).toEqual({ ...reviews, uid: 'uid-a', node: 'node-1' });
  source.put(pod('a', 'node-1', 'Failed'));
  expect(pods.runsOn('node-1', reviews)).toBe(false);
  expect(pods.pod('shop', 'a')).toBeUndefined();
});
