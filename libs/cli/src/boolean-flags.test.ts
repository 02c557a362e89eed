import { expect, test } from '@jest/globals';
import { Command } from 'commander';
import { withBooleanFlags } from './boolean-flags.ts';

const program = new Command('p').option('--all');
program
  .command('run')
  .option('--force')
  .option('--on', 'on of itself', true)
  .option('--both')
  .option('--name <name>')
  .option('--maybe [x]');
program.command('stop').option('--both <value>');

test.each([
  [
    ['run', '--force=true', '--all=1'],
    ['run', '--force', '--all'],
  ],
  [
    ['run', '--force=false', '--all=F', 'x'],
    ['run', 'x'],
  ],
  [
    ['run', '--force=maybe'],
    ['run', '--force=maybe'],
  ],
  [
    ['run', '--name=true', '--maybe=false', '--other=true'],
    ['run', '--name=true', '--maybe=false', '--other=true'],
  ],
  [
    ['run', '--on=false', '--both=true'],
    ['run', '--on=false', '--both=true'],
  ],
  [
    ['run', '--', '--force=true'],
    ['run', '--', '--force=true'],
  ],
])('%j are %j', (args, expected) => {
  expect(withBooleanFlags(program, args)).toEqual(expected);
});
