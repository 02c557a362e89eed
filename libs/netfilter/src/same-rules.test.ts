import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ambientPodRuleset } from './ambient/pod.ts';
import { restoreLines, restoreText } from './iptables/text.ts';
import { iptablesRules } from './iptables/words.ts';
import { nftTransaction } from './nft/transaction.ts';
import type { Ruleset } from './rule.ts';
import { sidecarRuleset } from './sidecar/sidecar.ts';
import { anyAmbientOptions, anyOptions, anyPodOverrides } from './testing/arbitrary.ts';
import { readIptables, readNft, type ReadRule } from './testing/read-rules.ts';

/** Where the two say different things on purpose. */
function comparable(rules: readonly ReadRule[]): readonly string[] {
  return (
    rules
      // nft has one table for both families, so it jumps where only the other family has rules to jump to.
      .filter(
        ({ verdict, chain }) =>
          verdict !== 'jump istio-output-dns' && !(chain === 'raw/prerouting' && verdict === 'jump istio-inbound'),
      )
      // nft drops invalid TCP packets only.
      .map((rule) => (rule.verdict === 'jump istio-drop' ? { ...rule, conditions: ['state invalid'] } : rule))
      .map(({ chain, conditions, verdict }) => `${chain}: ${conditions.join(', ')} -> ${verdict}`)
  );
}

/** Rules that return are inserted at the same places for both families, so that their order is another one. */
const withInsertions = /^(mangle\/istio-inbound|nat\/prerouting):/;

function expectSame(ruleset: Ruleset): void {
  for (const family of ruleset.families) {
    const iptables = comparable(readIptables(restoreText(restoreLines(iptablesRules(ruleset, family)))));
    const nft = comparable(readNft(nftTransaction(ruleset), family));
    expect(nft.toSorted()).toEqual(iptables.toSorted());
    const ordered = (rules: readonly string[]) => Object.groupBy(rules, (rule) => rule.slice(0, rule.indexOf(':')));
    const fixed = (rules: readonly string[]) => ordered(rules.filter((rule) => !withInsertions.test(rule)));
    expect(fixed(nft)).toEqual(fixed(iptables));
  }
}

test("iptables and nft say the same of a sidecar's rules, in texts that hold together", () => {
  fc.assert(fc.property(anyOptions, (options) => expectSame(sidecarRuleset(options))));
});

test("iptables and nft say the same of ambient mode's rules", () => {
  fc.assert(
    fc.property(anyAmbientOptions, anyPodOverrides, (options, pod) => expectSame(ambientPodRuleset(options, pod))),
  );
});

test('addresses of a family are in its rules only', () => {
  fc.assert(
    fc.property(anyOptions, (options) => {
      const ruleset = sidecarRuleset(options);
      expect(restoreText(restoreLines(iptablesRules(ruleset, 'ipv4')))).not.toMatch(/[\da-f]*:[\da-f]*:/);
      expect(restoreText(restoreLines(iptablesRules(ruleset, 'ipv6')))).not.toMatch(/-[sd] \d+\.\d+/);
    }),
  );
});
