import { describe, expect, test } from '@jest/globals';
import { chmodSync, statSync } from 'node:fs';
import { TemporaryFolder } from '../testing/temporary-folder.ts';
import { installConfig, removeConfig } from './network-config.ts';

const entry = { cniVersion: '0.3.1', name: 'istio-cni', type: 'istio-cni', plugin_log_level: 'info' };
const { cniVersion: _, ...inList } = entry;
const bridge = { type: 'bridge', bridge: 'cni0' };
const list = (...plugins: readonly object[]) => JSON.stringify({ cniVersion: '1.0.0', name: 'net', plugins });
const mode = 0o600;
const options = (folder: TemporaryFolder, given: object = {}) => {
  return { folder: folder.path, chained: true, confName: '', mode, ...given };
};
const pluginsIn = (folder: TemporaryFolder, file: string) =>
  (JSON.parse(folder.read(file)) as { readonly plugins: readonly object[] }).plugins;

describe('chained', () => {
  test('goes to the end of the first configuration, once', async () => {
    using folder = new TemporaryFolder({ '10-net.conflist': list(bridge), '20-other.conflist': list(bridge) });
    const other = folder.read('20-other.conflist');
    expect(await installConfig(entry, options(folder))).toMatchObject({ file: '10-net.conflist', written: true });
    expect(await installConfig(entry, options(folder))).toMatchObject({ written: false });
    expect(pluginsIn(folder, '10-net.conflist')).toEqual([bridge, inList]);
    expect(folder.read('20-other.conflist')).toBe(other);
  });

  test.each([
    ['is missing', list(bridge), [bridge, inList]],
    ['is an old one', list({ type: 'istio-cni', old: true }, bridge), [bridge, inList]],
    ['is there twice', list({ type: 'istio-cni', old: true }, bridge, inList), [bridge, inList]],
  ])('is mended if the entry %s', async (__, text, plugins) => {
    using folder = new TemporaryFolder({ '10-net.conflist': text });
    expect(await installConfig(entry, options(folder))).toMatchObject({ written: true });
    expect(await installConfig(entry, options(folder))).toMatchObject({ written: false });
    expect(pluginsIn(folder, '10-net.conflist')).toEqual(plugins);
  });

  test('what others put behind the entry stays there', async () => {
    const text = list(bridge, inList, { type: 'portmap' });
    using folder = new TemporaryFolder({ '10-net.conflist': text });
    expect(await installConfig(entry, options(folder))).toMatchObject({ written: false });
    expect(folder.read('10-net.conflist')).toBe(text);
  });

  test('a single plugin becomes a list, with the same permissions', async () => {
    using folder = new TemporaryFolder({ '10-net.conf': JSON.stringify(bridge) });
    chmodSync(folder.at('10-net.conf'), 0o640);
    await installConfig(entry, options(folder));
    expect(folder.list()).toEqual(['10-net.conflist']);
    expect(statSync(folder.at('10-net.conflist')).mode & 0o777).toBe(0o640);
  });

  test('waits for the configuration of others', async () => {
    using folder = new TemporaryFolder({ '10-net.conflist': '{"half' });
    expect(await installConfig(entry, options(folder))).toEqual({
      kind: 'waiting',
      problem: 'there is no CNI config file yet',
    });
    expect(folder.read('10-net.conflist')).toBe('{"half');
  });
});

describe('a configuration of our own', () => {
  const own = { ownFile: '02-istio-cni.conflist' };

  test('copies the primary one, follows it, and leaves it alone', async () => {
    using folder = new TemporaryFolder({ '10-net.conflist': list(bridge) });
    await installConfig(entry, options(folder, own));
    expect(await installConfig(entry, options(folder, own))).toMatchObject({ written: false, warning: undefined });
    expect(pluginsIn(folder, own.ownFile)).toEqual([bridge, inList]);
    folder.write('10-net.conflist', list(bridge, { type: 'portmap' }));
    await installConfig(entry, options(folder, own));
    expect(pluginsIn(folder, own.ownFile)).toEqual([bridge, { type: 'portmap' }, inList]);
    expect(folder.read('10-net.conflist')).toBe(list(bridge, { type: 'portmap' }));
  });

  test('must be the first', async () => {
    using folder = new TemporaryFolder({ '00-net.conflist': list(bridge) });
    expect(await installConfig(entry, options(folder, own))).toMatchObject({
      warning: '00-net.conflist comes before 02-istio-cni.conflist, which therefore has no effect',
    });
  });

  test('goes in the end', async () => {
    using folder = new TemporaryFolder({ '10-net.conflist': list(bridge) });
    await installConfig(entry, options(folder, own));
    await removeConfig(entry, options(folder, own));
    expect(folder.list()).toEqual(['10-net.conflist']);
  });
});

test('alone, it has a file of its own', async () => {
  using folder = new TemporaryFolder({});
  const alone = options(folder, { chained: false });
  expect(await installConfig(entry, alone)).toMatchObject({ file: 'YYY-istio-cni.conf', written: true });
  expect(await installConfig(entry, alone)).toMatchObject({ written: false });
  expect(JSON.parse(folder.read('YYY-istio-cni.conf'))).toEqual(entry);
  await removeConfig(entry, alone);
  expect(folder.list()).toEqual([]);
});

test('in the end the entry is nowhere, and what a killed agent left behind is gone', async () => {
  using folder = new TemporaryFolder({
    '05-odd.conflist': '{"plugins":[null,"x"]}',
    '10-net.conflist': list(bridge, inList),
    '20-other.conflist': list(inList, bridge),
    'readme.txt': 'istio-cni',
    '.10-net.conflist.77.istio-cni-tmp': '{"plu',
  });
  await removeConfig(entry, options(folder));
  expect(folder.list()).toEqual(['05-odd.conflist', '10-net.conflist', '20-other.conflist', 'readme.txt']);
  expect(pluginsIn(folder, '10-net.conflist')).toEqual([bridge]);
  expect(pluginsIn(folder, '20-other.conflist')).toEqual([bridge]);
});
