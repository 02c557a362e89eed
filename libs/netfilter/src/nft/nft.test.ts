import { describe, expect, test } from '@jest/globals';
import type { Command, Run } from '../command.ts';
import { ambientHostRuleset } from '../ambient/host.ts';
import { defaultHostProbeAddress } from '../ambient/options.ts';
import { applyNft, isNftInEffect, removeNft } from './nft.ts';
import { nftTransaction, ruleLines } from './transaction.ts';

const ruleset = ambientHostRuleset(
  { enableIpv6: false, redirectDns: false, hostProbeAddress: defaultHostProbeAddress },
  '0',
);

function nft(listed: string, code = 0) {
  const written: string[] = [];
  const run: Run = ({ args, input }: Command) => {
    if (args[0] === 'list') return Promise.resolve({ code: 0, stdout: listed, stderr: '' });
    written.push(input ?? '');
    return Promise.resolve({ code, stdout: '', stderr: code === 0 ? '' : 'Error: no' });
  };
  return { run, written };
}

test('tables and chains of ours that are not needed any more go in the same transaction', async () => {
  const listed = [
    'table ip istio-ambient-raw {\n}',
    'table inet istio-ambient-nat {\n\tchain postrouting {\n\t\ttype nat hook postrouting priority srcnat;\n\t}\n\tchain old {\n\t}\n}',
    'table inet istio-ambient-raw {\n\tchain output {\n\t}\n}',
    'table inet istio-proxy-nat {\n\tchain output {\n\t}\n}',
  ];
  const { run, written } = nft(listed.join('\n'));
  await applyNft(run, ruleset);
  expect(written).toEqual([
    `${nftTransaction(ruleset)}\ndelete chain inet istio-ambient-nat old\ndelete table inet istio-ambient-raw\n`,
  ]);
});

describe('in effect', () => {
  const others =
    'table ip istio-ambient-nat {\n\tchain x {\n\t\taccept\n\t}\n}\ntable inet other {\n\tchain y {\n\t\taccept\n\t}\n}';
  const chain = (name: string, ...rules: readonly string[]) =>
    `table inet istio-ambient-nat {\n\tchain ${name} {\n${rules.map((rule) => `\t\t${rule}\n`).join('')}\t}\n}`;
  const hook = 'type nat hook postrouting priority srcnat; policy accept;';
  const snat = 'meta l4proto tcp counter packets 0 bytes 0 snat ip to 169.254.7.127';

  test.each([
    ['all of it', [others, chain('postrouting', hook, snat)], true],
    ['nothing', [others], false],
    ['without the rule', [others, chain('postrouting', hook)], false],
    ['a chain too many', [chain('postrouting', hook, snat), chain('old')], false],
    ['a rule too many', [chain('postrouting', hook, snat, snat)], false],
  ])('%s', async (_, listed, isThere) => {
    expect(await isNftInEffect(nft(listed.join('\n')).run, ruleset)).toBe(isThere);
  });
});

test('errors say what is missing', async () => {
  await expect(applyNft(nft('', 1).run, ruleset)).rejects.toThrow('"nft -f -" failed with code 1: Error: no');
  await expect(removeNft(nft('', 127).run, 'istio-proxy')).rejects.toThrow('there is no program "nft" here');
});

test('an insertion at or beyond the end appends', () => {
  const rule = (index?: number) => ({
    table: 't',
    chain: 'c',
    text: `rule ${index}`,
    ...(index !== undefined && { index }),
  });
  expect(ruleLines([rule(0), rule(0), rule(2), rule(1), rule()])).toEqual([
    'add rule inet t c rule 0',
    'insert rule inet t c index 0 rule 0',
    'add rule inet t c rule 2',
    'insert rule inet t c index 1 rule 1',
    'add rule inet t c rule undefined',
  ]);
});
