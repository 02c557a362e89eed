import type { Messages } from '@kedge/envoy-api';
import { formatDuration, grpcStatuses, type HTTPFaultInjection } from '@kedge/model';
import { finePercent, wholePercent } from './fractional-percent.ts';

export const FAULT_FILTER = 'envoy.filters.http.fault';

type HttpFault = Messages['envoy.extensions.filters.http.fault.v3.HTTPFault'];

/** Delays and failures on purpose. Kinds of faults that Envoy hasn't got are left out. */
export function fault({ delay, abort }: HTTPFaultInjection): HttpFault {
  return { ...(delay ? faultDelay(delay) : {}), ...(abort ? faultAbort(abort) : {}) };
}

function faultDelay({ fixedDelay, percentage, percent = 0 }: NonNullable<HTTPFaultInjection['delay']>): HttpFault {
  if (fixedDelay === undefined) return {};
  return {
    delay: {
      fixedDelay: formatDuration(fixedDelay),
      percentage: percentage ? finePercent(percentage) : wholePercent(percent),
    },
  };
}

function faultAbort(abort: NonNullable<HTTPFaultInjection['abort']>): HttpFault {
  const { httpStatus, grpcStatus, percentage } = abort;
  const share = percentage ? { percentage: finePercent(percentage) } : {};
  if (httpStatus !== undefined) return { abort: { httpStatus, ...share } };
  if (grpcStatus !== undefined) {
    return { abort: { grpcStatus: Math.max(0, grpcStatuses.indexOf(grpcStatus)), ...share } };
  }
  return {};
}
