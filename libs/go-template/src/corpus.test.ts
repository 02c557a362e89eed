import { describe, expect, test } from '@jest/globals';
import { renderCase, type CorpusResult } from './testing/corpus-case.ts';
import { readCorpus } from './testing/corpus-file.ts';

/**
 * Output and errors are equal to Go's, place and wording included, but for the reason that the YAML parser gives for refusing a
 * text: ours is another parser.
 */
const comparable = (result: CorpusResult): CorpusResult => {
  const mask = (text: string): string => text.replace(/error converting YAML to JSON: (?:[^"\\]|\\.)*/g, '(bad YAML)');
  return 'output' in result ? { output: mask(result.output) } : { error: mask(result.error) };
};

describe('the corpus that Go has rendered', () => {
  test.each([
    ['language', 300],
    ['operators', 900],
    ['printf', 1300],
    ['sprig', 2900],
    ['helm', 390],
  ])('%s: every case of at least %d is equal', (name, least) => {
    const corpus = readCorpus(name);
    expect(corpus.length).toBeGreaterThanOrEqual(least);
    const different = corpus
      .map(({ corpusCase, expected }) => ({ corpusCase, expected, actual: renderCase(corpusCase) }))
      .filter(({ expected, actual }) => JSON.stringify(comparable(actual)) !== JSON.stringify(comparable(expected)));
    expect(different).toEqual([]);
  });
});
