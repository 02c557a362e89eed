import { isCipherSuite } from '@kedge/model';

/** Groups for key agreement of Envoy's TLS library. */
const CURVES: ReadonlySet<string> = new Set(['X25519', 'P-256', 'P-384', 'P-521', 'X25519MLKEM768', 'MLKEM1024']);

/** Those of the groups that Envoy knows, each once; it refuses a list with others. */
export const knownCurves = (curves: readonly string[]): readonly string[] => [
  ...new Set(curves.filter((curve) => CURVES.has(curve))),
];

/**
 * Those of the suites that Envoy knows, each once. It refuses a list with others, and one that operators leave empty: `-A` and
 * `!A` take away; `[A|B]` are equally good.
 */
export function knownCipherSuites(suites: readonly string[]): readonly string[] {
  const known = [...new Set(suites.filter((suite) => namesOf(suite).every(isName)))];
  const left = new Set<string>();
  for (const suite of known) {
    const takesAway = /^[-!]/.test(suite);
    for (const name of namesOf(suite)) {
      if (!takesAway) left.add(name);
      else if (name === 'ALL') left.clear();
      else left.delete(name);
    }
  }
  return left.size > 0 ? known : [];
}

const isName = (name: string): boolean => /^(?:[A-Z]|$)/.test(name) && isCipherSuite(name);

const namesOf = (suite: string): readonly string[] =>
  suite
    .replace(/^[-!+]/, '')
    .replace(/^\[(.*)\]$/s, '$1')
    .split('|');
