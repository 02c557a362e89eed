import { STATUS_CODES } from 'node:http';
import { packAny, type RetryPolicy } from '@kedge/envoy-api';
import { formatDuration, type HTTPRetry } from '@kedge/model';

const OUTBOUND_CONDITIONS = 'connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes';
/** A request that was reset before it reached the application can be sent again, whatever it asks for. */
const INBOUND_CONDITIONS = 'reset-before-request';
const STATUS_CONDITION = 'retriable-status-codes';
const DEFAULT_ATTEMPTS = 2;

const AVOID_PREVIOUS_HOSTS: RetryPolicy = {
  retryHostPredicate: [
    {
      name: 'envoy.retry_host_predicates.previous_hosts',
      typedConfig: packAny('envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate', {}),
    },
  ],
};

const PREFER_OTHER_LOCALITIES: RetryPolicy = {
  retryPriority: {
    name: 'envoy.retry_priorities.previous_priorities',
    typedConfig: packAny('envoy.extensions.retry.priority.previous_priorities.v3.PreviousPrioritiesConfig', {
      updateFrequency: 2,
    }),
  },
};

/**
 * Retries towards a destination: those of the settings, else the usual ones; undefined where the settings switch them off.
 * Where a hash chooses the endpoint, retries go to the same one.
 */
export function retryPolicy(settings: HTTPRetry | undefined, byHash: boolean): RetryPolicy | undefined {
  const { attempts = 0, perTryTimeout, retryIgnorePreviousHosts, retryRemoteLocalities } = settings ?? {};
  if (settings && attempts <= 0) return undefined;
  return {
    ...conditions(settings?.retryOn, OUTBOUND_CONDITIONS),
    numRetries: settings ? attempts : DEFAULT_ATTEMPTS,
    ...(perTryTimeout === undefined ? {} : { perTryTimeout: formatDuration(perTryTimeout) }),
    ...(retryRemoteLocalities ? PREFER_OTHER_LOCALITIES : {}),
    ...((retryIgnorePreviousHosts ?? !byHash) ? AVOID_PREVIOUS_HOSTS : {}),
    hostSelectionRetryMaxAttempts: '5',
    ...backOff(settings),
  };
}

/** Retries from the proxy to the workload beside it. There is one host, and nothing to select. */
export function inboundRetryPolicy(settings: HTTPRetry | undefined): RetryPolicy | undefined {
  const { attempts = 0 } = settings ?? {};
  if (settings && attempts <= 0) return undefined;
  return {
    ...conditions(settings?.retryOn, INBOUND_CONDITIONS),
    numRetries: settings ? attempts : DEFAULT_ATTEMPTS,
    ...backOff(settings),
  };
}

/** `retryOn` mixes conditions of Envoy with status codes. */
function conditions(retryOn: string | undefined, usual: string): RetryPolicy {
  if (!retryOn) return { retryOn: usual };
  const parts = retryOn
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const isStatus = (part: string): boolean => /^[+-]?\d+$/.test(part) && STATUS_CODES[Number(part)] !== undefined;
  const codes = parts.filter(isStatus).map(Number);
  const named = parts.filter((part) => !isStatus(part)).join(',');
  if (codes.length === 0) return { retryOn: named };
  const withStatus = named.includes(STATUS_CONDITION) ? named : `${named},${STATUS_CONDITION}`;
  return { retryOn: withStatus, retriableStatusCodes: codes };
}

function backOff(settings: HTTPRetry | undefined): RetryPolicy {
  return settings?.backoff === undefined ? {} : { retryBackOff: { baseInterval: formatDuration(settings.backoff) } };
}
