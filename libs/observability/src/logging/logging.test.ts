import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LogFlagValues, parseLogFlags } from './flags.ts';
import { createLogging } from './logging.ts';

const time = '2026-01-01T00:00:00.000000Z';

function record(flags: LogFlagValues = {}) {
  const lines: string[] = [];
  const logging = createLogging(parseLogFlags(flags), {
    write: (line) => lines.push(line),
    now: () => new Date('2026-01-01T00:00:00Z'),
  });
  return { logging, lines, text: () => lines.join('') };
}

describe('text', () => {
  test('has time, level, scope, message and fields', () => {
    const { logging, lines } = record();
    logging.scope('ads').info('push', { node: 'a.b', clients: 3, why: 'two words', nothing: undefined });
    expect(lines).toEqual([`${time}\tinfo\tads\tpush\tnode=a.b clients=3 why="two words"\n`]);
  });

  test('leaves out the name of the default scope', () => {
    const { logging, lines } = record();
    logging.scope('default').warn('careful');
    expect(lines).toEqual([`${time}\twarn\tcareful\n`]);
  });

  test('writes an error by its message and fields that clash with an underscore', () => {
    const { logging, text } = record();
    logging.scope('ads').error('failed', { error: new Error('no such file'), level: 'debug' });
    expect(text()).toBe(`${time}\terror\tads\tfailed\terror="no such file" level_=debug\n`);
  });

  test('adds the fields of with()', () => {
    const { logging, text } = record();
    logging.scope('ads').with({ connection: 7 }).with({ type: 'cds' }).info('ack', { nonce: 'n' });
    expect(text()).toBe(`${time}\tinfo\tads\tack\tconnection=7 type=cds nonce=n\n`);
  });
});

test('JSON has one object a line', () => {
  const { logging, text } = record({ log_as_json: true });
  logging.scope('ads').info('push', { clients: 3 });
  expect(JSON.parse(text())).toEqual({ level: 'info', time, scope: 'ads', msg: 'push', clients: 3 });
});

describe('levels', () => {
  test('are those of the scope, else of the default scope', () => {
    const { logging, text } = record({ log_output_level: 'default:warn,ads:debug,model:none' });
    for (const name of ['ads', 'model', 'other']) {
      const log = logging.scope(name);
      log.debug(`${name} debug`);
      log.warn(`${name} warn`);
    }
    const messages = text().matchAll(/(\w+ (?:debug|warn))\n/g);
    expect([...messages].map(([, message]) => message)).toEqual(['ads debug', 'ads warn', 'other warn']);
  });

  test('change while loggers are in use', () => {
    const { logging, lines } = record();
    const log = logging.scope('ads', 'discovery');
    const bound = log.with({ connection: 7 });
    expect(log.enabled('debug')).toBe(false);
    logging.setLevel('ads', 'debug');
    expect(log.enabled('debug')).toBe(true);
    bound.debug('seen');
    logging.setLevel('default', 'error');
    logging.scope('other').info('unseen');
    expect(lines).toHaveLength(1);
    expect(logging.scopes()).toEqual([
      { name: 'ads', description: 'discovery', level: 'debug' },
      { name: 'other', description: '', level: 'error' },
    ]);
  });
});

test('a caller and a stack are given to the scopes that ask for them', () => {
  const { logging, lines } = record({ log_caller: 'ads', log_stacktrace_level: 'ads:error' });
  logging.scope('ads').info('here');
  logging.scope('ads').error('there', { error: new TypeError('broken') });
  logging.scope('other').error('nowhere');
  expect(lines[0]).toMatch(/\tads\tlogging\/logging\.test\.ts:\d+\there\n$/);
  expect(lines[1]).toMatch(/\tthere\terror=broken\nTypeError: broken\n\s+at .*logging\.test/);
  expect(lines[2]).toBe(`${time}\terror\tother\tnowhere\n`);
});

test('files are targets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'logging-'));
  const file = join(folder, 'below', 'app.log');
  {
    using logging = createLogging(parseLogFlags({ log_target: [file] }));
    logging.scope('ads').info('to a file');
  }
  expect(readFileSync(file, 'utf8')).toMatch(/\tinfo\tads\tto a file\n$/);
  rmSync(folder, { recursive: true });
});

test.each(['/proc/none/below/app.log', '/dev/null/app.log'])('%s is refused', (file) => {
  expect(() => createLogging(parseLogFlags({ log_target: [file] }))).toThrow(/ENOENT|ENOTDIR/);
});
