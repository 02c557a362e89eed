import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CorpusCase, type CorpusResult } from './corpus-case.ts';

const testdata = join(import.meta.dirname, '..', '..', 'testdata');

/** Cases that Go has rendered, with its results; `tools/go-template-corpus` writes the files. */
export const readCorpus = (
  name: string,
): readonly { readonly corpusCase: CorpusCase; readonly expected: CorpusResult }[] => {
  const [head = '[]', ...lines] = readFileSync(join(testdata, `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
  const shared = JSON.parse(head) as readonly unknown[];
  return lines.map((line) => {
    const { output, error, values, files, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const found = {
      ...rest,
      values: shared[values as number],
      ...(files !== undefined && { files: shared[files as number] }),
    };
    return {
      corpusCase: found as CorpusCase,
      expected: error === undefined ? { output: output as string } : { error: error as string },
    };
  });
};
