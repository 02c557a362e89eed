import { grpcStatuses } from '../grpc-status.ts';
import type { FaultAbort, FaultDelay, HTTPFaultInjection } from '../kinds/http-action.ts';
import { responseStatusProblem } from './http-status.ts';
import { type Issues, quote } from './issues.ts';
import { durationProblem, fractionalPercentProblem } from './numbers.ts';

export function validateFault(issues: Issues, { abort, delay }: HTTPFaultInjection): void {
  issues.errorIf(!abort && !delay, 'empty', 'needs abort or delay');
  issues.field('abort', abort, validateAbort);
  issues.field('delay', delay, validateDelay);
}

function validateAbort(issues: Issues, { percentage, httpStatus, grpcStatus, http2Error }: FaultAbort): void {
  issues.field('percentage', percentage, (at, { value = 0 }) =>
    at.check('out-of-range', fractionalPercentProblem(value)),
  );
  issues.field('httpStatus', httpStatus, (at, status) => at.check('out-of-range', responseStatusProblem(status)));
  issues.field('grpcStatus', grpcStatus, (at, status) =>
    at.errorIf(
      !grpcStatuses.includes(status),
      'unknown-grpc-status',
      `${quote(status)} is not a gRPC status such as NOT_FOUND`,
    ),
  );
  issues.at('http2Error').errorIf(http2Error !== undefined, 'unsupported', 'faults by HTTP/2 error are not supported');
}

function validateDelay(issues: Issues, delay: FaultDelay): void {
  issues.field('percentage', delay.percentage, (at, { value = 0 }) =>
    at.check('out-of-range', fractionalPercentProblem(value)),
  );
  issues.checkFields(delay, ['fixedDelay'], 'invalid-duration', durationProblem);
  issues
    .at('exponentialDelay')
    .errorIf(delay.exponentialDelay !== undefined, 'unsupported', 'exponential delays are not supported');
}
