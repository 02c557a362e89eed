import { describe, expect, test } from '@jest/globals';
import type { HTTPRetry } from '@kedge/model';
import { inboundRetryPolicy, retryPolicy } from './retry-policy.ts';

describe('retries towards a destination', () => {
  test('the usual ones', () => {
    expect(retryPolicy(undefined, false)).toMatchObject({
      retryOn: 'connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes',
      numRetries: 2,
      retryHostPredicate: [{ name: 'envoy.retry_host_predicates.previous_hosts' }],
      hostSelectionRetryMaxAttempts: '5',
    });
  });

  test.each([[{}], [{ attempts: 0 }], [{ attempts: -1 }]])('none for %j', (settings) => {
    expect(retryPolicy(settings, false)).toBeUndefined();
  });

  const rows: readonly (readonly [what: string, settings: HTTPRetry, made: object])[] = [
    ['how often', { attempts: 3, perTryTimeout: 2000 }, { numRetries: 3, perTryTimeout: '2s' }],
    ['a pause', { attempts: 1, backoff: 25 }, { retryBackOff: { baseInterval: '0.025s' } }],
    ['conditions', { attempts: 1, retryOn: '5xx, reset' }, { retryOn: '5xx,reset' }],
    [
      'status codes',
      { attempts: 1, retryOn: '5xx,503, 599' },
      { retryOn: '5xx,599,retriable-status-codes', retriableStatusCodes: [503] },
    ],
    [
      'status codes with their condition',
      { attempts: 1, retryOn: 'retriable-status-codes,429' },
      { retryOn: 'retriable-status-codes', retriableStatusCodes: [429] },
    ],
    [
      'other localities',
      { attempts: 1, retryRemoteLocalities: true },
      { retryPriority: { name: 'envoy.retry_priorities.previous_priorities' } },
    ],
  ];
  test.each(rows)('with %s', (_what, settings, made) => {
    expect(retryPolicy(settings, false)).toMatchObject(made);
  });

  test.each([
    [true, undefined, false],
    [true, true, true],
    [false, false, false],
    [false, undefined, true],
  ])('hashed %s, other hosts asked for %s: other hosts %s', (byHash, retryIgnorePreviousHosts, others) => {
    const made = retryPolicy({ attempts: 1, retryIgnorePreviousHosts }, byHash);
    expect(made && 'retryHostPredicate' in made).toBe(others);
  });
});

test('retries to the workload have no host to select', () => {
  expect(inboundRetryPolicy(undefined)).toEqual({ retryOn: 'reset-before-request', numRetries: 2 });
  expect(inboundRetryPolicy({ attempts: 0 })).toBeUndefined();
  expect(inboundRetryPolicy({ attempts: 4, retryOn: '503', perTryTimeout: 1000, backoff: 1 })).toEqual({
    retryOn: ',retriable-status-codes',
    retriableStatusCodes: [503],
    numRetries: 4,
    retryBackOff: { baseInterval: '0.001s' },
  });
});
