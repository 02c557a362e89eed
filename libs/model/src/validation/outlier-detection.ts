import type { OutlierDetection } from '../kinds/outlier-detection.ts';
import type { Issues } from './issues.ts';
import { durationProblem, percentProblem } from './numbers.ts';

export function validateOutlierDetection(issues: Issues, outlier: OutlierDetection): void {
  issues.checkFields(outlier, ['interval', 'baseEjectionTime'], 'invalid-duration', durationProblem);
  issues.checkFields(outlier, ['maxEjectionPercent', 'minHealthPercent'], 'out-of-range', percentProblem);
  issues
    .at('consecutiveErrors')
    .warnIf(
      (outlier.consecutiveErrors ?? 0) !== 0,
      'deprecated-field',
      'is deprecated; use consecutiveGatewayErrors or consecutive5xxErrors',
    );
  issues
    .at('consecutiveLocalOriginFailures')
    .errorIf(
      (outlier.consecutiveLocalOriginFailures ?? 0) > 0 && outlier.splitExternalLocalOriginErrors !== true,
      'ineffective-field',
      'has an effect only if splitExternalLocalOriginErrors is true',
    );
}
