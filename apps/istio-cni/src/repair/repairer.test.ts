import { expect, test } from '@jest/globals';
import { createLogging, createMetricRegistry } from '@kedge/observability';
import { registerMetrics } from '../agent/metrics.ts';
import { ApiError } from '../kubernetes/api-client.ts';
import type { PodApi, PodEvent } from '../kubernetes/pod-api.ts';
import type { Pod } from '../kubernetes/pod.ts';
import { podWithSidecar } from '../testing/pods.ts';
import { type RepairAction, Repairer } from './repairer.ts';

const terminated = { exitCode: 126 };
const broken = (metadata: Partial<Pod['metadata']> = {}) =>
  podWithSidecar({
    metadata,
    status: { initContainerStatuses: [{ name: 'istio-validation', lastState: { terminated } }] },
  });

/** Lets a repairer see events, one after the other, and tells what it did. */
async function repair(
  action: RepairAction,
  events: readonly PodEvent[],
  given: Partial<PodApi> & { readonly redirect?: (pod: Pod) => Promise<void> } = {},
) {
  const done: string[] = [];
  const registry = createMetricRegistry();
  const settled = () => new Promise((resolve) => setTimeout(resolve, 30));
  const pods: PodApi = {
    watch: async (_, onEvent) => {
      for (const event of events) {
        onEvent(event);
        await settled();
      }
    },
    delete: (pod) => Promise.resolve(void done.push(`delete ${pod.metadata.uid}`)),
    label: (pod, key, value) => Promise.resolve(void done.push(`label ${pod.metadata.uid} ${key}=${value}`)),
    report: (_, reason, message) => Promise.resolve(void done.push(`${reason}: ${message}`)),
    ...given,
  };
  await new Repairer({
    action,
    criteria: {
      sidecarAnnotation: 'sidecar.istio.io/status',
      initContainerName: 'istio-validation',
      terminationMessage: '',
      exitCode: 126,
    },
    selection: { labelSelector: '', fieldSelector: '' },
    label: { key: 'broken', value: 'yes' },
    pods,
    redirect: given.redirect ?? ((pod) => Promise.resolve(void done.push(`redirect ${pod.metadata.uid}`))),
    metrics: registerMetrics(registry),
    log: createLogging(undefined, { write: () => undefined }).scope('cni-agent'),
    retryMs: 1,
  }).run(new AbortController().signal);
  const text = await registry.text();
  const metrics = [...text.matchAll(/^istio_cni_repair_pods_repaired_total\{type="(\w+)",result="(\w+)"\} (\d+)/gm)];
  return { done, metrics: metrics.map(([, type, result, count]) => `${type} ${result} ${count}`) };
}

const present = (pod: Pod): PodEvent => ({ kind: 'present', pod });

test.each<[RepairAction, readonly string[], readonly string[]]>([
  ['repair', ['redirect uid-1'], ['repair success 1']],
  ['delete', ['delete uid-1', 'DeleteBrokenPod: pod detected as broken, deleted'], ['delete success 1']],
  ['label', ['label uid-1 broken=yes', 'LabelBrokenPod: pod detected as broken, labeled'], ['label success 1']],
])('%s', async (action, done, metrics) => {
  const events = [present(podWithSidecar({ metadata: { uid: 'healthy' } })), present(broken())];
  expect(await repair(action, events)).toEqual({ done, metrics });
});

test('a pod is repaired once, another one of its name again', async () => {
  const events: readonly PodEvent[] = [
    present(broken()),
    present(broken({ resourceVersion: '8' })),
    { kind: 'gone', pod: broken() },
    present(broken({ uid: 'uid-2' })),
  ];
  expect((await repair('repair', events)).done).toEqual(['redirect uid-1', 'redirect uid-2']);
});

test('a pod with the label is left alone', async () => {
  const { done, metrics } = await repair('label', [present(broken({ labels: { broken: 'yes' } }))]);
  expect({ done, metrics }).toEqual({ done: [], metrics: ['label skip 1'] });
});

test('a pod that failed for good needs no rules', async () => {
  const pod = broken();
  const failed: Pod = {
    ...pod,
    spec: { ...pod.spec, restartPolicy: 'Never' },
    status: { initContainerStatuses: [{ name: 'istio-validation', state: { terminated } }] },
  };
  expect(await repair('repair', [present(failed)])).toEqual({ done: [], metrics: ['repair skip 1'] });
  expect((await repair('delete', [present(failed)])).done).toContain('delete uid-1');
});

test('what fails is tried again', async () => {
  let attempts = 0;
  const redirect = () => (++attempts < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve());
  expect(await repair('repair', [present(broken())], { redirect })).toEqual({
    done: [],
    metrics: ['repair fail 2', 'repair success 1'],
  });
});

test('what fails again and again is told', async () => {
  const redirect = () => Promise.reject(new Error('no iptables'));
  const { done, metrics } = await repair('repair', [present(broken())], { redirect });
  expect(done).toEqual(['RepairBrokenPod: pod detected as broken, but failed to repair: no iptables']);
  expect(metrics).toEqual(['repair fail 5']);
});

test('a pod that changed meanwhile is looked at anew', async () => {
  const deleted: string[] = [];
  const { metrics } = await repair('delete', [present(broken()), present(broken({ resourceVersion: '8' }))], {
    delete: ({ metadata: { resourceVersion = '' } }) => {
      if (resourceVersion === '7') return Promise.reject(new ApiError(409, 'the object has been modified'));
      return Promise.resolve(void deleted.push(resourceVersion));
    },
  });
  expect({ deleted, metrics }).toEqual({ deleted: ['8'], metrics: ['delete success 1'] });
});
