import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { type NetfilterCase, readCases } from './netfilter.ts';

/** The kernel takes every expectation of the peer data, in a network namespace of its own. */

const data = join(resolve(process.env.CONFORMANCE_DIR ?? '../shared/conformance/peer'), 'netfilter');

function missing(): string | undefined {
  if (!existsSync(data)) return `there is no data at ${data}`;
  if (process.getuid?.() !== 0) return 'it needs root';
  const programs = ['nft', 'iptables-nft', 'iptables-legacy', 'ipset', 'unshare'];
  return programs.filter((program) => spawnSync(program, ['-V']).error).map((name) => `there is no ${name}`)[0];
}

const reason = missing();
if (reason !== undefined) process.stderr.write(`loading peer expectations is left out: ${reason}\n`);
const check = reason === undefined ? test : test.skip;

/** Names of groups that cases use are known there only; sets are what the node agent would keep. */
const preparation = (dir: string) => `
mount --bind ${dir}/group /etc/group
ip link set lo up
for family in inet inet6; do
  ipset create istio-inpod-probes-v$([ $family = inet ] && echo 4 || echo 6) hash:ip family $family
done
`;
const sets = [
  'add table inet istio-ambient-nat',
  'add set inet istio-ambient-nat istio-inpod-probes-v4 { type ipv4_addr; }',
  'add set inet istio-ambient-nat istio-inpod-probes-v6 { type ipv6_addr; }',
  '',
].join('\n');

/** The restore texts of an expectation; the second family begins where the tables begin anew. */
function families(text: string): { readonly ipv4: string; readonly ipv6: string } {
  const transactions = text.split(/^(?=\* )/m).filter((part) => part.startsWith('* '));
  const tables = transactions.map((part) => part.slice(2, part.indexOf('\n')));
  const second = tables.findIndex((table, index) => index > 0 && table <= tables[index - 1]!);
  const end = second < 0 ? transactions.length : second;
  const join = (parts: readonly string[]) => parts.join('').replaceAll(/^ip6?tables.*\n?/gm, '');
  return { ipv4: join(transactions.slice(0, end)), ipv6: join(transactions.slice(end)) };
}

interface Load {
  readonly id: string;
  readonly command: string;
  readonly text: string;
}

function loads({ id, group, expected }: NetfilterCase, read: (name: string) => string): readonly Load[] {
  if (typeof expected !== 'string') return [];
  if (group.endsWith('-nftables')) {
    const text = `${read(expected)}\n`;
    return [{ id, command: 'nft -c -f', text: text.includes('@istio-inpod') ? sets + text : text }];
  }
  if (!group.endsWith('-iptables')) return [];
  const { ipv4, ipv6 } = families(`${read(expected)}\n`);
  return ['nft', 'legacy'].flatMap((variant) =>
    [
      { id, command: `iptables-${variant}-restore --noflush --test`, text: ipv4 },
      { id, command: `ip6tables-${variant}-restore --noflush --test`, text: ipv6 },
    ].filter(({ text }) => text !== ''),
  );
}

check('the kernel takes every expectation', () => {
  const dir = mkdtempSync(join(tmpdir(), 'netfilter-'));
  try {
    const { cases, read } = readCases(data);
    const all = cases.flatMap((each) => loads(each, read));
    expect(all.length).toBeGreaterThan(cases.length);
    writeFileSync(join(dir, 'group'), 'root:x:0:\njava:x:201:\nftp:x:202:\n');
    const lines = all.map(({ id, command, text }, index) => {
      const file = join(dir, String(index));
      writeFileSync(file, text);
      return `${command} ${file} || echo "${id}: ${command}"`;
    });
    writeFileSync(join(dir, 'all.sh'), [preparation(dir), ...lines, ''].join('\n'));
    const output = execFileSync('unshare', ['-n', '-m', 'sh', '-c', `sh ${dir}/all.sh 2>&1`], { encoding: 'utf8' });
    expect(output).toBe('');
  } finally {
    rmSync(dir, { recursive: true });
  }
});
