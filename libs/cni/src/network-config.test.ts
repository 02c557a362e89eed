import { describe, expect, test } from '@jest/globals';
import { planConfig } from './config-plan.ts';
import { insertPlugin, printConfig } from './network-config.ts';

const plugin = { cniVersion: '0.3.1', name: 'istio-cni', type: 'istio-cni' };
const entry = { name: 'istio-cni', type: 'istio-cni' };
const bridge = JSON.stringify({ cniVersion: '0.4.0', name: 'net', type: 'bridge', mtu: 1400 });
const list = JSON.stringify({
  cniVersion: '1.0.0',
  name: 'net',
  plugins: [{ type: 'bridge' }, { type: 'istio-cni', old: 1 }, { type: 'last' }],
});

describe('insertion', () => {
  test('a single plugin becomes a list', () => {
    expect(insertPlugin(bridge, plugin)).toEqual({
      ok: true,
      config: {
        name: 'k8s-pod-network',
        cniVersion: '0.3.1',
        plugins: [{ name: 'net', type: 'bridge', mtu: 1400 }, entry],
      },
    });
  });

  test('an entry of ours goes to the end', () => {
    expect(insertPlugin(list, plugin)).toMatchObject({
      config: { cniVersion: '1.0.0', plugins: [{ type: 'bridge' }, { type: 'last' }, entry] },
    });
  });

  test('of several entries of ours one stays', () => {
    const twice = JSON.stringify({
      plugins: [{ type: 'istio-cni' }, { type: 'bridge' }, { type: 'istio-cni', old: 1 }],
    });
    expect(insertPlugin(twice, plugin)).toEqual({ ok: true, config: { plugins: [{ type: 'bridge' }, entry] } });
  });

  test('inserting again changes nothing', () => {
    const once = insertPlugin(list, plugin);
    expect(once.ok && insertPlugin(printConfig(once.config), plugin)).toEqual(once);
  });

  test.each(['', 'x', '[]', 'null', '{}', '{"plugins": {}}', '{"plugins": ["bridge"]}'])(
    '%s is refused',
    (existing) => {
      expect(insertPlugin(existing, plugin)).toMatchObject({ ok: false });
    },
  );
});

describe('the file', () => {
  const files = new Map([
    ['00-readme.txt', bridge],
    ['05-broken.conf', list],
    ['05-empty.conflist', '{"plugins": []}'],
    ['10-bridge.conf', bridge],
    ['20-net.conflist', list],
  ]);
  const chained = { chained: true, confName: '' };

  test.each([
    [{ ...chained }, { kind: 'write', file: '10-bridge.conflist', replaces: '10-bridge.conf' }],
    [
      { ...chained, confName: '20-net.conf' },
      { kind: 'write', file: '20-net.conflist' },
    ],
    [
      { ...chained, confName: '10-bridge.conflist' },
      { file: '10-bridge.conflist', replaces: '10-bridge.conf' },
    ],
    [
      { ...chained, confName: '10-bridge.conf', ownFile: '02-istio.conflist' },
      { kind: 'write', file: '02-istio.conflist' },
    ],
    [
      { ...chained, confName: '30-later.conf' },
      { kind: 'wait', problem: 'there is no CNI config 30-later.conf yet' },
    ],
    [{ ...chained, ownFile: '02-istio.conflist' }, { kind: 'invalid' }],
    [{ ...chained, confName: '05-empty.conflist' }, { kind: 'write' }],
    [
      { chained: false, confName: '' },
      { kind: 'write', file: 'YYY-istio-cni.conf' },
    ],
    [
      { chained: false, confName: 'own.conf' },
      { kind: 'write', file: 'own.conf' },
    ],
  ])('%j', (options, plan) => {
    expect(planConfig(files, plugin, options)).toMatchObject(plan);
  });

  test('an empty directory is waited for', () => {
    expect(planConfig(new Map(), plugin, chained)).toEqual({
      kind: 'wait',
      problem: 'there is no CNI config file yet',
    });
  });
});
