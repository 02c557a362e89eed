import { runIstioctl } from '@kedge/istioctl';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ManifestCase } from './manifests.ts';

export interface GenerateRun {
  readonly code: number;
  readonly output: string;
  readonly error: string;
  /** What was written with `-o`. */
  readonly file?: string;
}

/** Where `charts` are. */
const PACKAGE = join(import.meta.dirname, '../../../..');

/** `istioctl manifest generate` for a case. */
export async function runGenerate({ input, options }: ManifestCase, directory: string): Promise<GenerateRun> {
  const scratch = mkdtempSync(join(tmpdir(), 'manifests-'));
  const target = join(scratch, 'out.yaml');
  const files = typeof input === 'string' ? [input] : (input ?? []);
  const flags = (options.flags ?? '')
    .replace(/<directory with[^>]*>/, PACKAGE)
    .replace(/<file in a[^>]*>/, join(scratch, 'none/out.yaml'))
    .replace(/<file>/, target);
  const args = ['manifest', 'generate', ...files.flatMap((file) => ['-f', file]), ...flags.split(' ').filter(Boolean)];
  const [out, err]: [string[], string[]] = [[], []];
  try {
    const code = await runIstioctl(args, {
      directory,
      environment: {},
      readStdin: () => '',
      write: (text) => void out.push(text),
      writeError: (text) => void err.push(text),
    });
    const file = existsSync(target) ? readFileSync(target, 'utf8') : undefined;
    return { code, output: out.join(''), error: err.join(''), ...(file !== undefined && { file }) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
