import { describe, expect, test } from '@jest/globals';
import { distribute } from './distribute.ts';
import { labelFailover, localityFailover, regionFailover } from './failover.ts';
import { groupByLocality, type LocalityGroup, type PlacedEndpoint } from './locality-group.ts';

function endpoint(
  locality: string,
  labels: Readonly<Record<string, string>> = {},
  weight = 1,
): PlacedEndpoint & { locality: string } {
  return { locality, labels, network: '', cluster: '', message: { loadBalancingWeight: weight } };
}

const places = (...localities: readonly string[]): LocalityGroup[] =>
  groupByLocality(localities.map((l) => endpoint(l)));

const priorities = (groups: readonly LocalityGroup[]): Readonly<Record<string, number>> =>
  Object.fromEntries(groups.map(({ locality, priority }) => [locality, priority]));

const weights = (groups: readonly LocalityGroup[]): Readonly<Record<string, number | undefined>> =>
  Object.fromEntries(
    groups.map(({ locality, weight, endpoints }) => [locality, endpoints.length > 0 ? weight : undefined]),
  );

describe('fail-over by locality', () => {
  test('nearer places come first, without a gap in the priorities', () => {
    const groups = places('eu/a/1', 'eu/b/1', 'us/a/1');
    expect(priorities(localityFailover(groups, 'eu/a/1', []))).toEqual({ 'eu/a/1': 0, 'eu/b/1': 1, 'us/a/1': 2 });
    expect(priorities(localityFailover(groups, 'us/a/2', []))).toEqual({ 'us/a/1': 0, 'eu/a/1': 1, 'eu/b/1': 1 });
  });

  test('the region named for fail-over comes before all other foreign ones', () => {
    const groups = places('asia/a/1', 'eu/a/1', 'us/a/1');
    const failover = [{ from: 'eu', to: 'us' }];
    expect(priorities(localityFailover(groups, 'eu/a/1', failover))).toEqual({
      'eu/a/1': 0,
      'us/a/1': 1,
      'asia/a/1': 2,
    });
    expect(priorities(localityFailover(groups, 'us/a/1', failover))).toEqual({
      'us/a/1': 0,
      'eu/a/1': 1,
      'asia/a/1': 1,
    });
  });

  test("zones of the client's region are one, where Envoy balances over them", () => {
    const groups = places('eu/a/1', 'eu/b/1', 'us/a/1', 'asia/a/1');
    expect(priorities(regionFailover(groups, 'eu/b/1', [{ from: 'eu', to: 'us' }]))).toEqual({
      'eu/a/1': 0,
      'eu/b/1': 0,
      'us/a/1': 1,
      'asia/a/1': 2,
    });
  });
});

describe('fail-over by labels', () => {
  const split = (groups: readonly LocalityGroup[]): readonly (readonly [number, number])[] =>
    groups.map(({ priority, endpoints }) => [priority, endpoints.length] as const);

  test('endpoints that share more of the labels come first, also within a locality', () => {
    const groups = groupByLocality([
      endpoint('eu', { version: 'v1', zone: 'a' }),
      endpoint('eu', { version: 'v1', zone: 'b' }),
      endpoint('eu', { version: 'v2', zone: 'a' }),
    ]);
    const labels = [{ label: 'version', value: 'v1' }, { label: 'zone', value: 'a' }]; // prettier-ignore
    expect(split(labelFailover(groups, labels))).toEqual([[0, 1], [1, 1], [2, 1]]); // prettier-ignore
  });

  test('another network comes behind all of the own, and there the other labels count', () => {
    const network = 'topology.istio.io/network';
    const groups = groupByLocality([
      endpoint('eu', { [network]: 'one', zone: 'a' }),
      endpoint('eu', { [network]: 'one', zone: 'b' }),
      endpoint('eu', { [network]: 'two', zone: 'a' }),
      endpoint('eu', { [network]: 'two', zone: 'b' }),
    ]);
    const labels = [{ label: network, value: 'one' }, { label: 'zone', value: 'a' }]; // prettier-ignore
    const ranked = labelFailover(groups, labels);
    expect(ranked.map(({ priority, endpoints }) => [priority, endpoints[0]?.labels])).toEqual([
      [0, { [network]: 'one', zone: 'a' }],
      [1, { [network]: 'one', zone: 'b' }],
      [2, { [network]: 'two', zone: 'a' }],
      [3, { [network]: 'two', zone: 'b' }],
    ]);
  });
});

describe('distribution', () => {
  test('a share for several places is divided by their weights, and the rest gets nothing', () => {
    const groups = groupByLocality([
      endpoint('eu/a/1', {}, 3),
      endpoint('eu/b/1', {}, 1),
      endpoint('us/a/1', {}, 1),
      endpoint('asia/a/1', {}, 1),
    ]);
    const rules = [{ from: 'eu/*', to: { 'eu/*': 80, 'us/a/1': 20 } }];
    expect(weights(distribute(groups, 'eu/a/1', rules))).toEqual({
      'eu/a/1': 60,
      'eu/b/1': 20,
      'us/a/1': 20,
      'asia/a/1': undefined,
    });
    expect(distribute(groups, 'us/a/1', rules)).toBe(groups);
  });
});
