import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CorpusCase, type CorpusResult } from '@kedge/go-template/testing';

const sources = join(import.meta.dirname, '..', 'go');

/** Go's own rendering of templates: a small program, built when it's first needed. */
export class GoRenderer implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'go-template-corpus-'));
  readonly #program = join(this.#directory, 'render');

  constructor() {
    const build = spawnSync('go', ['build', '-o', this.#program, '.'], { cwd: sources, stdio: 'inherit' });
    if (build.status !== 0) throw new Error('The Go program does not build: is Go installed?', { cause: build.error });
  }

  render(cases: readonly CorpusCase[]): CorpusResult[] {
    const run = spawnSync(this.#program, {
      input: cases.map((corpusCase) => JSON.stringify(corpusCase)).join('\n'),
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      env: { TZ: 'UTC' },
    });
    const results = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as CorpusResult);
    if (results.length !== cases.length)
      throw new Error(`Go answered ${results.length} of ${cases.length} cases: ${run.stderr}`);
    return results;
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true });
  }
}
