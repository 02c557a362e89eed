import { describe, expect, test } from '@jest/globals';
import { flagsWithoutEffect, parseLogFlags } from './flags.ts';

describe('scope levels', () => {
  test.each([
    ['', { default: 'info' }],
    ['debug', { default: 'debug' }],
    ['default:warn,ads:debug', { default: 'warn', ads: 'debug' }],
    [' ads:debug , model:none', { default: 'info', ads: 'debug', model: 'none' }],
    ['ads:debug,all:error', { default: 'error' }],
  ])('%j', (text, expected) => {
    expect(Object.fromEntries(parseLogFlags({ log_output_level: text }).outputLevels)).toEqual(expected);
  });

  test.each(['ads:loud', 'ads:debug:info', ':debug', 'loud'])('%j is an error', (text) => {
    expect(() => parseLogFlags({ log_output_level: text })).toThrow(`--log_output_level: "${text}" is not`);
    expect(() => parseLogFlags({ log_stacktrace_level: text })).toThrow('--log_stacktrace_level: ');
  });
});

test('all flags together', () => {
  const options = parseLogFlags({ log_as_json: true, log_target: ['stderr', '/tmp/x'], log_caller: 'ads,model' });
  expect(options).toMatchObject({ json: true, targets: ['stderr', '/tmp/x'], callerScopes: new Set(['ads', 'model']) });
});

test('flags without effect say so', () => {
  const given = flagsWithoutEffect({ log_rotate: 'x', vklog: '3', log_as_json: true });
  expect(given).toEqual(['--log_rotate has no effect', '--vklog has no effect']);
});
