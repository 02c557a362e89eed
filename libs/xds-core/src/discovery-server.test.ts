import { describe, expect, test } from '@jest/globals';
import { Harness } from './testing/harness.ts';
import { TypeUrl } from './type-urls.ts';

const { cluster, endpoint, listener, route } = TypeUrl;
const protocols = ['delta', 'sotw'] as const;

describe.each(protocols)('%s', (protocol) => {
  const mesh = {
    [cluster]: { a: '1', b: '1' },
    [endpoint]: { a: 'x', b: 'y' },
    [listener]: { l: '1' },
    [route]: { l: 'r' },
  };

  test('a client gets what it asks for, then what changes', () => {
    const harness = new Harness(mesh);
    const client = harness.open(protocol);
    client.subscribe(cluster);
    expect(client.ackAll()).toHaveLength(1);
    expect(client.contents(cluster)).toEqual({ a: '1', b: '1' });
    client.subscribe(endpoint, ['a', 'b']);
    client.ackAll();
    expect(client.contents(endpoint)).toEqual({ a: 'x', b: 'y' });

    harness.edit([endpoint, 'a', 'z']);
    const [push, ...rest] = client.ackAll();
    expect(rest).toEqual([]);
    expect(push?.typeUrl).toBe(endpoint);
    expect([...(push?.resources.keys() ?? [])]).toEqual(['a']);
    expect(client.contents(endpoint)).toEqual({ a: 'z', b: 'y' });
  });
});
