import { type CorpusCase } from '@kedge/go-template/testing';
import { helmCases } from './cases/helm.ts';
import { languageCases } from './cases/language.ts';
import { operatorCases } from './cases/operators.ts';
import { printfCases } from './cases/printf.ts';
import { sprigCases } from './cases/sprig.ts';

/** Cases by the name of the file that keeps them. */
export const corpus: Readonly<Record<string, readonly CorpusCase[]>> = {
  language: languageCases,
  operators: operatorCases,
  printf: printfCases,
  sprig: sprigCases,
  helm: helmCases,
};
