import { expect, test } from '@jest/globals';
import { type EnvoyArguments, envoyArguments } from './arguments.ts';

const options: EnvoyArguments = {
  configFile: 'envoy.json',
  logLevel: 'warning',
  componentLogLevel: '',
  drainMs: 45_000,
  instanceIps: ['10.0.0.1'],
  fileFlushIntervalMs: 1000,
  fileFlushMinSizeKb: 0,
  skipDeprecatedLogs: false,
  coreDump: false,
  concurrency: 0,
};
const line = (more: Partial<EnvoyArguments>) => envoyArguments({ ...options, ...more }).join(' ');

test('the plain command line', () => {
  expect(line({})).toBe(
    '-c envoy.json --drain-time-s 45 --drain-strategy immediate --local-address-ip-version v4 ' +
      '--file-flush-interval-msec 1000 --disable-hot-restart --allow-unknown-static-fields -l warning',
  );
});

test.each([
  [{ logLevel: 'info,misc:error,upstream:debug' }, '-l info --component-log-level misc:error,upstream:debug'],
  [{ componentLogLevel: 'misc:error' }, '-l warning --component-log-level misc:error'],
  [{ instanceIps: ['fd00::1'] }, '--local-address-ip-version v6'],
  [{ concurrency: 2 }, '--concurrency 2'],
  [{ configOverride: '{}' }, '--config-yaml {}'],
  [{ skipDeprecatedLogs: true, coreDump: true }, '--skip-deprecated-logs --enable-core-dump'],
  [{ fileFlushMinSizeKb: 64 }, '--file-flush-min-size-kb 64'],
])('%j gives %s', (more, expected) => {
  expect(line(more)).toContain(expected);
});
