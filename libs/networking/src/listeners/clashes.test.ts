import { describe, expect, test } from '@jest/globals';
import { clashDiagnostics, networkKey, withoutClashes } from './clashes.ts';
import type { OutboundChainPlan, OutboundMatch } from './listener-plan.ts';

const chain = (match: Partial<OutboundMatch>): OutboundChainPlan => ({
  match: { serverNames: [], ranges: [], http: false, ...match },
  target: { kind: 'tcp', protocol: 'TLS', statPrefix: 'x', targets: [{ cluster: 'x', weight: 1 }] },
  from: [{ kind: 'VirtualService', namespace: 'shop', name: 'v' }],
});

const settle = (...matches: readonly Partial<OutboundMatch>[]) =>
  withoutClashes(matches.map(chain)).map(({ match, shadowed = false, lost = [] }) => ({
    names: match.serverNames,
    ranges: match.ranges,
    shadowed,
    lost: lost.map(({ text, reason }) => `${reason} ${text}`),
  }));

const fine = { shadowed: false, lost: [] };

describe('withoutClashes', () => {
  test('leaves chains alone that take different connections', () => {
    expect(
      settle({ serverNames: ['a'] }, { serverNames: ['b'] }, { ranges: ['10.0.0.0/8'] }, {}, { http: true }),
    ).toEqual([
      { names: ['a'], ranges: [], ...fine },
      { names: ['b'], ranges: [], ...fine },
      { names: [], ranges: ['10.0.0.0/8'], ...fine },
      { names: [], ranges: [], ...fine },
      { names: [], ranges: [], ...fine },
    ]);
  });

  test('a name belongs to the first; the others keep what is left', () => {
    expect(settle({ serverNames: ['a'] }, { serverNames: ['a', 'b'] }, { serverNames: ['b'] })).toEqual([
      { names: ['a'], ranges: [], ...fine },
      { names: ['b'], ranges: [], shadowed: false, lost: ['taken a'] },
      { names: [], ranges: [], shadowed: true, lost: ['taken b'] },
    ]);
  });

  test('the same name in other ranges is another match', () => {
    const result = settle(
      { serverNames: ['a'], ranges: ['10.0.0.0/8'] },
      { serverNames: ['a'], ranges: ['11.0.0.0/8'] },
    );
    expect(result.map(({ shadowed }) => shadowed)).toEqual([false, false]);
  });

  test('ranges are the same whichever of their addresses is written', () => {
    expect(settle({ ranges: ['10.1.2.3/8'] }, { ranges: ['10.9.9.9/8', '10.1.0.0/16'] })[1]).toEqual({
      names: [],
      ranges: ['10.1.0.0/16'],
      shadowed: false,
      lost: ['taken 10.9.9.9/8'],
    });
  });

  test('a second chain for everything has nothing left', () => {
    expect(settle({}, { serverNames: ['*'] })[1]).toMatchObject({ shadowed: true });
  });

  test('what Envoy cannot match is left out', () => {
    expect(settle({ serverNames: ['*.a', 'b*', '*c'] }, { ranges: ['10.0.0.0/99', 'x'] })).toEqual([
      { names: ['*.a'], ranges: [], shadowed: false, lost: ['malformed b*', 'malformed *c'] },
      { names: [], ranges: [], shadowed: true, lost: ['malformed 10.0.0.0/99', 'malformed x'] },
    ]);
  });

  test('who loses something is told', () => {
    const [, second] = withoutClashes([chain({ serverNames: ['a'] }), chain({ serverNames: ['a'] })]);
    expect(second && clashDiagnostics('0.0.0.0_443', second)).toMatchObject([
      { kind: 'VirtualService', namespace: 'shop', name: 'v', severity: 'error', code: 'taken-filter-chain-match' },
    ]);
  });
});

test.each([
  ['1.2.3.4', '16909060/32'],
  ['1.2.3.4/8', '16777216/8'],
  ['0.0.0.0', '*'],
  ['2001:db8::1', '2001:db8::1/128'],
])('network of %s', (text, key) => {
  expect(networkKey(text)).toBe(key);
});
