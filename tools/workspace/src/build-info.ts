import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildInfo } from './bundle.ts';
import { root } from './root.ts';

/** What git says, or undefined outside a repository. */
function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** The version of the workspace and the state that it is in. */
export function readBuildInfo(): BuildInfo {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const changes = git('status', '--porcelain', '--untracked-files=no');
  return {
    version,
    revision: git('rev-parse', 'HEAD') ?? 'unknown',
    status: changes === '' ? 'Clean' : 'Modified',
    tag: git('describe', '--tags', '--always') ?? version,
  };
}
