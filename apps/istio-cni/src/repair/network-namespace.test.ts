import { expect, test } from '@jest/globals';
import { mkdirSync, symlinkSync } from 'node:fs';
import { TemporaryFolder } from '../testing/temporary-folder.ts';
import { findNetworkNamespace } from './network-namespace.ts';

const trie = (address: string) =>
  `Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 10.0.0.0\n        /24 link UNICAST\n     |-- ${address}\n        /32 host LOCAL\n`;

/** A /proc with processes: their network namespace, start and network. */
function proc(processes: Readonly<Record<string, readonly [namespace: string, start: number, ...files: string[]]>>) {
  const folder = new TemporaryFolder();
  for (const [pid, [namespace, start, fibTrie = '', ifInet6 = '']] of Object.entries(processes)) {
    const fields = ['S', ...Array<number>(18).fill(0), start, 0].join(' ');
    folder.write(`${pid}/stat`, `${pid} (a) b) ${fields}\n`);
    folder.write(`${pid}/net/fib_trie`, fibTrie);
    folder.write(`${pid}/net/if_inet6`, ifInet6);
    mkdirSync(folder.at(pid, 'ns'));
    symlinkSync(`net:[${namespace}]`, folder.at(pid, 'ns/net'));
  }
  folder.write('self', '');
  return folder;
}

test('the oldest process with the address', async () => {
  using folder = proc({
    1: ['host', 1, trie('10.0.0.7')],
    20: ['pod', 30, trie('10.0.0.7')],
    10: ['pod', 20, trie('10.0.0.7')],
    5: ['other', 10, trie('10.0.0.70')],
  });
  expect(await findNetworkNamespace(folder.path, '10.0.0.7')).toBe(folder.at('10/ns/net'));
});

test('IPv6', async () => {
  const line = 'fd000000000000000000000000000007 02 40 00 80     eth0\n';
  using folder = proc({ 1: ['host', 1], 8: ['pod', 2, '', line] });
  expect(await findNetworkNamespace(folder.path, 'fd00::7')).toBe(folder.at('8/ns/net'));
});

test('no process', async () => {
  using folder = proc({ 1: ['host', 1, trie('10.0.0.7')], 2: ['host', 2, trie('10.0.0.7')], 3: ['pod', 3] });
  await expect(findNetworkNamespace(folder.path, '10.0.0.7')).rejects.toThrow(
    'no process on this node has a network with the address 10.0.0.7',
  );
});
