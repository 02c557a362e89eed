import type { Messages, OutlierDetection } from '@kedge/envoy-api';
import { formatDuration, type OutlierDetection as Settings } from '@kedge/model';

type MatchPredicate = Messages['envoy.config.common.matcher.v3.MatchPredicate'];

/** A counter of consecutive failures: 0 switches it off, anything else enforces it always. */
function enforced(failures: number | undefined): number | undefined {
  return failures === undefined ? undefined : failures > 0 ? 100 : 0;
}

/** Ejection of endpoints that fail. Success rates play no part. */
export function outlierDetection(settings: Settings): OutlierDetection {
  const { consecutive5xxErrors, consecutiveGatewayErrors, interval, baseEjectionTime, maxEjectionPercent } = settings;
  return {
    ...(consecutive5xxErrors === undefined
      ? {}
      : { consecutive5xx: consecutive5xxErrors, enforcingConsecutive5xx: enforced(consecutive5xxErrors) }),
    ...(consecutiveGatewayErrors === undefined
      ? {}
      : {
          consecutiveGatewayFailure: consecutiveGatewayErrors,
          enforcingConsecutiveGatewayFailure: enforced(consecutiveGatewayErrors),
        }),
    ...(interval === undefined ? {} : { interval: formatDuration(interval) }),
    ...(baseEjectionTime === undefined ? {} : { baseEjectionTime: formatDuration(baseEjectionTime) }),
    ...(maxEjectionPercent ? { maxEjectionPercent } : {}),
    enforcingSuccessRate: 0,
    ...(settings.splitExternalLocalOriginErrors ? localOrigin(settings.consecutiveLocalOriginFailures) : {}),
  };
}

/** Failures to connect, counted apart from what the server answers. */
function localOrigin(failures: number | undefined): OutlierDetection {
  return {
    splitExternalLocalOriginErrors: true,
    ...(failures ? { consecutiveLocalOriginFailure: failures, enforcingConsecutiveLocalOriginFailure: 100 } : {}),
    enforcingLocalOriginSuccessRate: 0,
  };
}

/** Which answers count as failures, where that isn't all of 5xx. */
export function errorMatcher({ outlierDetectionHttpErrorCodes: codes }: Settings): MatchPredicate | undefined {
  const rules = codes.map((code): MatchPredicate => ({
    httpResponseHeadersMatch: { headers: [{ name: ':status', stringMatch: { exact: String(code) } }] },
  }));
  return rules.length > 1 ? { orMatch: { rules } } : rules[0];
}
