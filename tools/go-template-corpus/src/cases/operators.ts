import { calls, kinds, product, text } from '../table.ts';

const operands = ['1', '2', '1.5', '"a"', '"b"', 'true', 'nil', '.n', '.s', '.null', '.missing', '.l', '.m', '1i'];

const comparisons = text(
  ...calls(['eq', 'lt'], product(operands, operands)),
  ...calls(['ne', 'le', 'gt', 'ge'], product(kinds.slice(0, 7), kinds.slice(0, 7))),
);

const logic = text(
  ...calls(['and', 'or'], product(kinds, kinds.slice(0, 6))),
  ...calls(['not', 'len', 'html', 'js', 'urlquery', 'print', 'println'], kinds),
);

const access = text(
  ...calls(['index'], product(['.l', '.m', '.s', '.n', 'nil', '.null'], kinds)),
  ...calls(['slice'], product(['.l', '.s'], ['0', '1', '3', '9', '-1', '"x"'], ['2', '4', '""'])),
);

export const operatorCases = [...comparisons, ...logic, ...access];
