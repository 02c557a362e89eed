import { describe, expect, test } from '@jest/globals';
import type { ContainerStatus } from '../kubernetes/pod.ts';
import { podWithSidecar } from '../testing/pods.ts';
import { type BrokenCriteria, brokenness } from './broken.ts';

const criteria: BrokenCriteria = {
  sidecarAnnotation: 'sidecar.istio.io/status',
  initContainerName: 'istio-validation',
  terminationMessage: '',
  exitCode: 126,
};
const failed = { terminated: { exitCode: 126, reason: 'Error', message: 'no redirection\n' } };
const completed = { terminated: { exitCode: 0, reason: 'Completed' } };

const state = (
  status: Partial<ContainerStatus>,
  given: Partial<BrokenCriteria> = {},
  restartPolicy = 'Always',
  annotations?: Readonly<Record<string, string>>,
) => {
  const initContainerStatuses = [{ name: 'istio-validation', ...status }];
  const pod = podWithSidecar({
    ...(annotations && { metadata: { annotations } }),
    status: { initContainerStatuses },
  });
  return brokenness({ ...pod, spec: { ...pod.spec, restartPolicy } }, { ...criteria, ...given });
};

describe('restarting', () => {
  test.each<[string, string]>([
    ['the code', state({ lastState: failed, state: {} })],
    ['failing just now too', state({ lastState: failed, state: failed })],
    ['the message', state({ lastState: failed }, { terminationMessage: 'no redirection' })],
    ['any code', state({ lastState: { terminated: { exitCode: 1 } } }, { exitCode: 0 })],
    ['any container', state({ name: 'other', lastState: failed }, { initContainerName: '' })],
    ['any pod', state({ lastState: failed }, { sidecarAnnotation: '' }, 'Always', {})],
    ['a Job that restarts its containers', state({ lastState: failed }, {}, 'OnFailure')],
  ])('%s', (_, result) => expect(result).toBe('restarting'));
});

test('the pod of a Job that is not restarted has failed', () => {
  expect(state({ state: failed }, {}, 'Never')).toBe('failed');
});

describe('healthy', () => {
  test.each<[string, string]>([
    ['waits for its first start', state({})],
    ['fails for the first time', state({ state: failed })],
    ['has succeeded since', state({ lastState: failed, state: completed })],
    ['failed otherwise', state({ lastState: { terminated: { exitCode: 1 } } })],
    ['another message', state({ lastState: failed }, { terminationMessage: 'else' })],
    ['another container', state({ name: 'other', lastState: failed })],
    ['no sidecar', state({ lastState: failed }, {}, 'Always', {})],
    ['a Job that succeeded', state({ state: completed }, {}, 'Never')],
  ])('%s', (_, result) => expect(result).toBe('healthy'));
});
