import { describe, expect, test } from '@jest/globals';
import type { Run } from '../command.ts';
import { detectVariant, installedVariants } from './variant.ts';

interface Program {
  readonly rules?: boolean;
  /** What it says is there, if no rules. */
  readonly saved?: string;
  readonly version?: string;
  readonly unusable?: boolean;
}

/** Programs by name: what they have and can do. */
function host(programs: Readonly<Record<string, Program>>): Run {
  return ({ program, args }) => {
    const name = program.replace(/-(save|restore)$/, '');
    const found = programs[name];
    if (found === undefined) return Promise.resolve({ code: 127, stdout: '', stderr: '' });
    const nft = name.endsWith('-nft') ? ' (nf_tables)' : '';
    if (args.includes('--version')) {
      return Promise.resolve({ code: 0, stdout: `${program} v${found.version ?? '1.8.9'}${nft}\n`, stderr: '' });
    }
    const rules = found.rules ? '# by\n*nat\n:X - [0:0]\n-A X -j RETURN\nCOMMIT\n' : (found.saved ?? '');
    return Promise.resolve({ code: program.endsWith('-restore') && found.unusable ? 4 : 0, stdout: rules, stderr: '' });
  };
}

const kernelChains = '# by\n*nat\n:PREROUTING ACCEPT [1:60]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n';
const all = { 'iptables-legacy': {}, 'iptables-nft': {}, iptables: {} };

describe('the variant to use', () => {
  test.each<[string, Record<string, Program>, string | undefined]>([
    ['nft, if nobody has rules', all, 'iptables-nft'],
    ['legacy, if there are rules', { ...all, 'iptables-legacy': { rules: true } }, 'iptables-legacy'],
    [
      "nft, if legacy has the kernel's chains only",
      { ...all, 'iptables-legacy': { saved: kernelChains } },
      'iptables-nft',
    ],
    [
      'nft, if legacy has rules but does not work',
      { ...all, 'iptables-legacy': { rules: true, unusable: true } },
      'iptables-nft',
    ],
    ['legacy, if nft does not work', { ...all, 'iptables-nft': { unusable: true } }, 'iptables-legacy'],
    ['the bare name, if there is nothing else', { iptables: {} }, 'iptables'],
    ['none', {}, undefined],
    ['none that works', { iptables: { unusable: true } }, undefined],
  ])('%s', async (_, programs, name) => {
    expect((await detectVariant(host(programs), 'ipv4'))?.name).toBe(name);
  });

  test('the forced one or none', async () => {
    expect((await detectVariant(host(all), 'ipv4', 'legacy'))?.name).toBe('iptables-legacy');
    expect(await detectVariant(host({ iptables: {} }), 'ipv4', 'legacy')).toBeUndefined();
    expect((await detectVariant(host({ 'ip6tables-nft': {} }), 'ipv6', 'nft'))?.name).toBe('ip6tables-nft');
  });
});

test.each([
  ['iptables-nft', '1.8.9', false],
  ['iptables-legacy', '1.8.9', true],
  ['iptables-legacy', '1.6.2', true],
  ['iptables-legacy', '1.6.1', false],
  ['iptables-legacy', '1.7', true],
  ['iptables-legacy', '2.0.0', true],
])('%s %s has locks: %s', async (name, version, locks) => {
  const [variant] = await installedVariants(host({ [name]: { version } }), 'ipv4');
  expect(variant).toMatchObject({ name, locks });
});
