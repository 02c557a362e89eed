import { describe, expect, test } from '@jest/globals';
import { outboundClusterName, parseOutboundClusterName, sniClusterName } from './cluster-name.ts';

describe('names of outbound clusters', () => {
  test.each([
    ['web.shop.svc.cluster.local', 80, ''],
    ['web.shop.svc.cluster.local', 80, 'v1'],
    ['*.wild.example', 443, 'a_b'],
    ['under_.score.example', 1, ''],
  ])('%s:%d %s reads back in both forms', (host, port, subset) => {
    expect(parseOutboundClusterName(outboundClusterName(host, port, subset))).toEqual({
      form: 'outbound',
      host,
      port,
      subset,
    });
    expect(parseOutboundClusterName(sniClusterName(host, port, subset))).toEqual({ form: 'sni', host, port, subset });
  });

  test.each(['', 'inbound|80||', 'BlackHoleCluster', 'outbound|x||web', 'outbound|80|web', 'outbound|80|a|b|c'])(
    '"%s" is none',
    (name) => {
      expect(parseOutboundClusterName(name)).toBeUndefined();
    },
  );
});
