import type { ConfigOf } from '../kinds/config.ts';
import type { Issues } from './issues.ts';
import { negativeProblem } from './numbers.ts';
import { validateWorkloadSelector } from './workload-selector.ts';

export function validateProxyConfig(issues: Issues, { spec }: ConfigOf<'ProxyConfig'>): void {
  issues.field('selector', spec.selector, validateWorkloadSelector);
  issues.checkFields(spec, ['concurrency'], 'out-of-range', negativeProblem);
}
