import { describe, expect, test } from '@jest/globals';
import { CommanderError } from 'commander';
import { addNotBuilt } from './not-built.ts';
import { createProgram } from './program.ts';
import { runProgram } from './run.ts';

const info = { version: '1.2.3', revision: 'abc', status: 'Clean', tag: '1.2.3' };

async function run(args: readonly string[], versionPrefix?: string) {
  const out: string[] = [];
  const err: string[] = [];
  const program = createProgram({ name: 'meshctl', description: 'a mesh', info, versionPrefix });
  program.configureOutput({ writeOut: (text) => out.push(text), writeErr: (text) => out.push(text) });
  addNotBuilt(program, ['analyze', 'proxy-config|pc cluster|clusters|c', 'proxy-config|pc all', 'tag', 'tag set']);
  const code = await runProgram(program, args, (text) => err.push(text));
  return { code, out: out.join(''), err: err.join('') };
}

describe('version', () => {
  test.each([
    [['--version'], 'meshctl version 1.2.3-abc-Clean\n'],
    [['version', '--short'], '1.2.3\n'],
  ])('%j', async (args, out) => {
    expect(await run(args)).toEqual({ code: 0, out, err: '' });
  });

  test('as one line of everything', async () => {
    const line =
      /^version\.BuildInfo\{Version:"1\.2\.3", GitRevision:"abc", .*BuildStatus:"Clean", GitTag:"1\.2\.3"\}\n$/;
    expect((await run(['version'])).out).toMatch(line);
  });

  test('with a prefix', async () => {
    expect((await run(['version'], 'client version: ')).out).toBe('client version: 1.2.3\n');
    expect((await run(['version', '--short=false'], 'client version: ')).out).toMatch(
      /^client version: version\.BuildInfo\{/,
    );
  });

  test('as a document', async () => {
    const { out } = await run(['version', '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject({ clientVersion: { version: '1.2.3', revision: 'abc', status: 'Clean' } });
    expect((await run(['version', '-o', 'yaml'])).out).toMatch(/^clientVersion:\n {2}version: 1\.2\.3\n/);
  });
});

describe('errors', () => {
  test.each([
    [['analyze', '--all-namespaces', 'x.yaml'], "Error: 'meshctl analyze' is not built yet in this version\n"],
    [['analyze', '--help'], "Error: 'meshctl analyze' is not built yet in this version\n"],
    [['pc', 'clusters', 'pod'], "Error: 'meshctl proxy-config cluster' is not built yet in this version\n"],
    [['tag', 'set', 'x'], "Error: 'meshctl tag set' is not built yet in this version\n"],
    [['frobnicate'], "Error: unknown command 'frobnicate'\n"],
    [['--frobnicate'], "Error: unknown option '--frobnicate'\n"],
    [['version', '-o', 'xml'], "Error: --output must be 'yaml' or 'json'\n"],
    [['version', '--short=f', '--nope=true'], "Error: unknown option '--nope=true'\n"],
    [
      ['version', '--short=maybe'],
      `Error: option '-s, --short [wanted]' argument 'maybe' is invalid. "maybe" is neither true nor false.\n`,
    ],
  ])('%j', async (args, err) => {
    const result = await run(args);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.err).toEqual(typeof err === 'string' ? err : expect.stringMatching(err));
  });

  test.each([[['--help']], [['pc']], [[]]])('help is no error: %j', async (args) => {
    const { code, out, err } = await run(args);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Usage: meshctl/);
  });
});

test('a command ends with its own code, arguments that make no sense with that of the program', async () => {
  const program = createProgram({ name: 'meshctl', description: 'a mesh', info });
  program.command('check').action(() => {
    throw new CommanderError(126, 'check.failed', 'the check has failed');
  });
  const err: string[] = [];
  const code = (...args: readonly string[]) => runProgram(program, args, (text) => err.push(text), 64);
  expect(await code('check')).toBe(126);
  expect(await code('check', '--nope')).toBe(64);
  expect(err[0]).toBe('Error: the check has failed\n');
});
