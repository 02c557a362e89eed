import { expect, test } from '@jest/globals';
import type { AccessLogging } from '@kedge/model';
import { mergeAccessLogging, type ProviderLogging } from './access-logging.ts';
import type { Side } from './workload-mode.ts';

interface Setting {
  readonly to?: readonly string[];
  readonly mode?: 'CLIENT' | 'SERVER' | 'CLIENT_AND_SERVER';
  readonly off?: boolean;
  readonly only?: string;
}

function setting({ to = [], mode, off, only }: Setting): AccessLogging {
  return {
    providers: to.map((name) => ({ name })),
    ...(mode ? { match: { mode } } : {}),
    ...(off === undefined ? {} : { disabled: off }),
    ...(only ? { filter: { expression: only } } : {}),
  };
}

function merged(
  levels: readonly (readonly Setting[])[],
  side: Side = 'CLIENT',
): Readonly<Record<string, ProviderLogging>> {
  return Object.fromEntries(mergeAccessLogging(levels.map((level) => level.map(setting)), ['default'], side)); // prettier-ignore
}

test.each<[string, readonly (readonly Setting[])[], Readonly<Record<string, ProviderLogging>>]>([
  ['nobody says anything', [], { default: {} }],
  ['a level names none', [[{}]], { default: {} }],
  ['a level names others', [[{ to: ['a', 'b'] }]], { a: {}, b: {} }],
  ['a narrower level names others', [[{ to: ['a'] }], [{ to: ['b'] }]], { b: {} }],
  ['a narrower level names none', [[{ to: ['a'] }], [{ off: true }]], { a: 'disabled' }],
  ['a narrower level switches on again', [[{ to: ['a'], off: true }], [{ off: false }]], { a: {} }],
  ['it is for the other side', [[{ to: ['a'], mode: 'SERVER' }]], {}],
  ['one side is switched off', [[{ to: ['a'] }, { to: ['a'], mode: 'CLIENT', off: true }]], { a: 'disabled' }],
  ['there is an expression', [[{ to: ['a'], only: 'x' }]], { a: { expression: 'x' } }],
  [
    'a narrower expression counts',
    [[{ to: ['a'], only: 'x' }], [{ to: ['a'], only: 'y' }]],
    { a: { expression: 'y' } },
  ],
])('providers where %s', (_, levels, expected) => {
  expect(merged(levels)).toEqual(expected);
});

test('sides are told apart', () => {
  const levels = [[{ to: ['a'] }, { to: ['a'], mode: 'CLIENT', off: true }]] as const;
  expect(merged(levels, 'SERVER')).toEqual({ a: {} });
});
