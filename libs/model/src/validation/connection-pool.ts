import type { ConnectionPoolSettings, HttpConnectionPool, TcpConnectionPool } from '../kinds/connection-pool.ts';
import type { Issues } from './issues.ts';
import { durationProblem, negativeProblem } from './numbers.ts';

export function validateConnectionPool(issues: Issues, { http, tcp }: ConnectionPoolSettings): void {
  issues.errorIf(!http && !tcp, 'empty', 'needs http or tcp');
  issues.field('http', http, validateHttp);
  issues.field('tcp', tcp, validateTcp);
}

const HTTP_LIMITS = [
  'http1MaxPendingRequests',
  'http2MaxRequests',
  'maxRequestsPerConnection',
  'maxRetries',
  'maxConcurrentStreams',
] as const;

function validateHttp(issues: Issues, http: HttpConnectionPool): void {
  issues.checkFields(http, HTTP_LIMITS, 'out-of-range', negativeProblem);
  issues.checkFields(http, ['idleTimeout'], 'invalid-duration', durationProblem);
  issues.errorIf(
    http.h2UpgradePolicy === 'UPGRADE' && http.useClientProtocol === true,
    'conflicting-fields',
    'h2UpgradePolicy UPGRADE and useClientProtocol exclude each other',
  );
  issues.field('http2KeepAlive', http.http2KeepAlive, (at, keepalive) => {
    for (const field of ['interval', 'timeout'] as const) {
      at.at(field).errorIf(keepalive[field] === undefined, 'required', 'is required for keepalive');
    }
    at.checkFields(keepalive, ['interval', 'timeout'], 'invalid-duration', durationProblem);
  });
}

function validateTcp(issues: Issues, tcp: TcpConnectionPool): void {
  issues.checkFields(tcp, ['maxConnections'], 'out-of-range', negativeProblem);
  issues.checkFields(tcp, ['connectTimeout', 'maxConnectionDuration'], 'invalid-duration', durationProblem);
  // Less than a millisecond switches the timeout off.
  if (Math.trunc(tcp.idleTimeout ?? 0) !== 0)
    issues.checkFields(tcp, ['idleTimeout'], 'invalid-duration', durationProblem);
  issues.field('tcpKeepalive', tcp.tcpKeepalive, (at, keepalive) =>
    at.checkFields(keepalive, ['time', 'interval'], 'invalid-duration', durationProblem),
  );
}
