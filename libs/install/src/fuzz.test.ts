import { expect, test } from '@jest/globals';
import type { Chart } from '@kedge/helm';
import type { JsonObject } from '@kedge/model';
import fc from 'fast-check';
import { generateManifests } from './generate.ts';
import { InstallError } from './install-error.ts';
import { printManifests, sortManifests } from './manifest.ts';
import { mergeInputs } from './merge-inputs.ts';
import { validateOperator } from './validation/validate-operator.ts';

const WORDS = [
  ...[
    'spec',
    'values',
    'components',
    'pilot',
    'ingressGateways',
    'k8s',
    'overlays',
    'patches',
    'path',
    'value',
    'name',
  ],
  ...[
    'kind',
    'Deployment',
    'istiod',
    'global',
    'proxy',
    'hub',
    'tag',
    'profile',
    'empty',
    'enabled',
    'service',
    'ports',
  ],
  ...[
    'hpaSpec',
    'resources',
    'limits',
    'cpu',
    'label',
    'env',
    'meshConfig',
    'revision',
    'istioNamespace',
    'includeIPRanges',
  ],
];
const word = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.constantFrom('[0]', '[-1]', '[name:a]', '[:x]', '[(]', '\\.', '__proto__'),
);
const path = fc.array(word, { maxLength: 6 }).map((words) => words.join('.'));
const scalar = fc.oneof(fc.constantFrom(null, true, 0, -1, 1.5, '', '80', 'a: b', 'x:\n  y', ...WORDS), fc.string());
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    scalar,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...WORDS), tie('tree'), { maxKeys: 5 }),
  ),
}));
const spec = fc.dictionary(fc.constantFrom(...WORDS), tree, { maxKeys: 6 }) as fc.Arbitrary<JsonObject>;

const template = `kind: Deployment
metadata: {name: istiod}
spec: {template: {spec: {containers: [{name: discovery}]}}}
---
kind: Service
metadata: {name: a}`;
const chart: Chart = { metadata: { name: 'any' }, templates: new Map([['templates/a.yaml', template]]) };

function refusedOrNot(action: () => void): void {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(InstallError);
  }
}

test('any flag sets something or is refused', () => {
  const flag = fc
    .tuple(path, fc.oneof(fc.constantFrom(...WORDS, '1', 'true'), fc.string()))
    .map(([at, value]) => `${at}=${value}`);
  fc.assert(
    fc.property(fc.array(fc.oneof(flag, fc.string()), { maxLength: 4 }), (sets) =>
      refusedOrNot(() => void mergeInputs({ sets })),
    ),
  );
});

test('any IstioOperator is judged, and gives objects or is refused', () => {
  fc.assert(
    fc.property(spec, (value) => {
      const files = [{ name: 'a.yaml', text: JSON.stringify({ spec: value }) }];
      refusedOrNot(() => {
        const operator = mergeInputs({ files });
        const { errors } = validateOperator(operator.object);
        const parts = generateManifests(operator, { charts: () => chart });
        const manifests = sortManifests(parts.flatMap((part) => part.manifests));
        if (errors.length === 0) expect(printManifests(manifests).split('\n---\n')).toHaveLength(manifests.length + 1);
      });
    }),
    { numRuns: 300 },
  );
});
