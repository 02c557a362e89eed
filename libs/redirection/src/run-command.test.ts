import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { programNotFound } from '@kedge/netfilter';
import { commandRunner } from './run-command.ts';

describe('a command', () => {
  const node = (script: string) => ({ program: process.execPath, args: ['-e', script] });

  test('gets its input and environment, and gives its output and code', async () => {
    const script = 'process.stdin.pipe(process.stdout); console.error(process.env.WORD); process.exitCode = 3';
    const result = await commandRunner()({ ...node(script), input: 'in', env: { WORD: 'word' } });
    expect(result).toEqual({ code: 3, stdout: 'in', stderr: 'word\n' });
  });

  test('may end without reading, or by a signal', async () => {
    expect(await commandRunner()({ ...node(''), input: 'x'.repeat(1_000_000) })).toMatchObject({ code: 0 });
    const killed = await commandRunner()(node("process.kill(process.pid, 'SIGKILL')"));
    expect(killed).toMatchObject({ code: 128, stderr: 'ended by SIGKILL' });
  });

  test('says that the network namespace is the problem', async () => {
    await expect(commandRunner('/etc/passwd')(node(''))).rejects.toThrow(
      "the network namespace /etc/passwd can't be entered: nsenter:",
    );
  });

  describe('on a host that has no programs', () => {
    const { PATH } = process.env;
    beforeEach(() => void (process.env.PATH = '/nowhere'));
    afterEach(() => void (process.env.PATH = PATH));

    test('is not found, which is a result; nor is what enters a namespace, which is none', async () => {
      const command = { program: 'iptables', args: [] };
      expect(await commandRunner()(command)).toMatchObject({ code: programNotFound });
      await expect(commandRunner('/proc/self/ns/net')(command)).rejects.toThrow('nsenter is missing');
    });
  });
});
