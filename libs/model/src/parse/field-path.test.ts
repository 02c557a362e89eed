import { expect, test } from '@jest/globals';
import { formatPath } from './field-path.ts';

test.each([
  [[], ''],
  [['spec', 'http', 0, 'match', 1, 'uri'], 'spec.http[0].match[1].uri'],
  [['metadata', 'labels', 'app.kubernetes.io/name'], 'metadata.labels["app.kubernetes.io/name"]'],
])('%j is %s', (path, text) => {
  expect(formatPath(path)).toBe(text);
});
