import { expect, test } from '@jest/globals';
import { parseScrapeTargets } from './scrape-targets.ts';

test.each([
  ['', []],
  ['{"scrape":"true","path":"/m?x=y","port":"8080"}', [{ port: 8080, path: '/m?x=y' }]],
  ['{"scrape":"","path":"","port":""}', [{ port: 80, path: '/metrics' }]],
  ['{"scrape":"false","port":"8080"}', []],
  [
    '{"scrape":"true","port":"1","targets":[{"port":"8080"},{"port":"9090","path":"/x"}]}',
    [
      { port: 8080, path: '/metrics' },
      { port: 9090, path: '/x' },
    ],
  ],
])('%s gives %j', (text, expected) => {
  expect(parseScrapeTargets(text, 15020)).toEqual(expected);
});

test.each([
  ['{', 'not JSON'],
  ['{"port":"15020"}', 'the agent'],
  ['{"port":"015020"}', 'the agent'],
  ['{"port":"15090"}', "Envoy's metrics"],
  ['{"port":"x"}', '"x" is no port'],
  ['{"port":"70000"}', 'no port'],
  ['{"targets":[{"path":"/x"}]}', 'no port'],
])('%s is refused: %s', (text, message) => {
  expect(() => parseScrapeTargets(text, 15020)).toThrow(message);
});

test('the port that the agent was given is its own, too', () => {
  expect(() => parseScrapeTargets('{"port":"15999"}', 15999)).toThrow("the agent's own");
});
