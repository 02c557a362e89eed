import { expect, test } from '@jest/globals';
import { createLogging, parseLogFlags } from '@kedge/observability';
import { SentLog } from './sent-log.ts';

const sent = (nodeId: string, reason: 'push' | 'request' = 'push') => ({
  connection: { nodeId },
  typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  reason,
  resources: 2,
  removed: 1,
  bytes: 10,
});

function record(outputLevel: string): { readonly lines: string[]; readonly log: SentLog } {
  const lines: string[] = [];
  const logging = createLogging(parseLogFlags({ log_output_level: outputLevel }), {
    write: (line) => lines.push(line.split('\t').slice(3).join(' ').trim()),
  });
  return { lines, log: new SentLog(logging.scope('ads')) };
}

test('answers of a type that are sent for one reason are told in one line', () => {
  const { lines, log } = record('default:info');
  for (const node of ['a', 'b', 'c', 'd', 'e']) log.add(sent(node));
  log.add(sent('z', 'request'));
  expect(lines).toEqual([]);
  log[Symbol.dispose]();
  expect(lines).toEqual([
    'CDS: sent to a, b, c and 2 more answers=5 resources=10 removed=5 bytes=50 reason=push',
    'CDS: sent to z resources=2 removed=1 bytes=10 reason=request',
  ]);
});

test('at debug level each is told at once', () => {
  const { lines, log } = record('ads:debug');
  log.add(sent('a'));
  log.add(sent('b'));
  expect(lines).toEqual([
    'CDS: sent to a resources=2 removed=1 bytes=10 reason=push',
    'CDS: sent to b resources=2 removed=1 bytes=10 reason=push',
  ]);
});
