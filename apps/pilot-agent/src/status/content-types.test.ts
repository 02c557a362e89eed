import { expect, test } from '@jest/globals';
import { acceptedByMerge, formatOf, textFormat } from './content-types.ts';

test.each([
  ['', 'text/plain;version=0.0.4'],
  ['*/*', 'text/plain;version=0.0.4;q=0.1'],
  ['application/json', 'text/plain;version=0.0.4'],
  ['application/*;q=0.3', 'application/openmetrics-text;version=0.0.1;q=0.1'],
  [
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily,application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1',
    'application/openmetrics-text;version=1.0.0;q=0.2,text/plain;version=0.0.4;q=0.1',
  ],
])('of %s, "%s" is asked for', (accept, expected) => {
  expect(acceptedByMerge(accept)).toBe(expected);
});

test.each([
  [
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  ],
  ['Application/OpenMetrics-Text', 'application/openmetrics-text; version=0.0.1; charset=utf-8'],
  ['application/openmetrics-text; version=9', textFormat],
  ['text/plain', textFormat],
  ['', textFormat],
])('%s is answered as %s', (contentType, expected) => {
  expect(formatOf(contentType)).toBe(expected);
});
