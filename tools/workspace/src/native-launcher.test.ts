import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativeLauncher } from './native-launcher.ts';

describe('a native launcher', () => {
  let folder: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'native-launcher-')));
    mkdirSync(join(folder, 'runtime'));
    writeFileSync(join(folder, 'runtime/program'), '#!/bin/sh\npwd -P; echo "$#:$1:$2:$VARIABLE"; cat; exit 3\n', {
      mode: 0o755,
    });
    put('launcher', 'runtime/program', 'one', 'two words');
    put('lost', 'elsewhere/program');
    symlinkSync(join(folder, 'launcher'), join(folder, 'link'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const put = (name: string, ...command: readonly [string, ...string[]]) => {
    const failure = `${name}: nothing there\n`;
    writeFileSync(join(folder, name), nativeLauncher({ cpu: process.arch, command, failure }), {
      mode: 0o755,
    });
  };
  const run = (name: string) => {
    const env = { VARIABLE: 'passed on' };
    const { status, stdout, stderr } = spawnSync(join(folder, name), ['dropped'], {
      cwd: '/',
      env,
      input: 'in',
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };

  test.each(['launcher', 'link'])('called by its %s, starts the program beside it', (name) => {
    expect(run(name)).toEqual({ status: 3, stdout: `${folder}\n2:one:two words:passed on\nin`, stderr: '' });
  });

  test('says what is wrong if there is none', () => {
    expect(run('lost')).toEqual({ status: 127, stdout: '', stderr: 'lost: nothing there\n' });
  });

  test('is a small ELF file for each processor that there is one for', () => {
    const launcher = (cpu: string) => nativeLauncher({ cpu, command: ['program'], failure: '' });
    for (const cpu of ['x64', 'arm64']) {
      const file = launcher(cpu);
      expect(file.subarray(0, 4).toString('latin1')).toBe('\u007fELF');
      expect(file.length).toBeLessThan(500);
    }
    expect(() => launcher('mips')).toThrow('there is no launcher for the processor mips');
  });
});
