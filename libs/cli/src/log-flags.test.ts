import { expect, test } from '@jest/globals';
import { parseLogFlags } from '@kedge/observability';
import { Command } from 'commander';
import { addLogFlags } from './log-flags.ts';

const parse = (...args: readonly string[]) =>
  parseLogFlags(addLogFlags(new Command('app').argument('[file]')).parse(args, { from: 'user' }).opts());

test('without flags: the defaults', () => {
  expect(parse()).toEqual({
    outputLevels: new Map([['default', 'info']]),
    stackTraceLevels: new Map([['default', 'none']]),
    callerScopes: new Set(),
    json: false,
    targets: ['stdout'],
  });
});

test('targets add up and leave the arguments alone', () => {
  expect(parse('--log_target', 'stderr', 'file').targets).toEqual(['stderr']);
  expect(parse('--log_target=stderr', '--log_target', '/tmp/log,stdout', '--log_as_json')).toMatchObject({
    targets: ['stderr', '/tmp/log', 'stdout'],
    json: true,
  });
});

test('flags without effect are accepted and not shown', () => {
  expect(parse('--log_rotate_max_size', '3').json).toBe(false);
  const help = addLogFlags(new Command('app')).helpInformation();
  expect(help).toContain('--log_output_level <string>');
  expect(help).not.toContain('log_rotate');
});
