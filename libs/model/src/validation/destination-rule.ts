import type { ConfigOf } from '../kinds/config.ts';
import { dnsLabelProblem, wildcardDomainProblem } from './dns.ts';
import { validateExportTo } from './export-to.ts';
import { type Issues, quote } from './issues.ts';
import { validateLabels } from './labels.ts';
import { validateTrafficPolicy } from './traffic-policy.ts';
import { validateWorkloadSelector } from './workload-selector.ts';

export function validateDestinationRule(issues: Issues, { spec, namespace }: ConfigOf<'DestinationRule'>): void {
  const { host, trafficPolicy, subsets, exportTo, workloadSelector } = spec;
  issues.at('host').check('invalid-host', wildcardDomainProblem(host));
  issues.field('trafficPolicy', trafficPolicy, (at, policy) => validateTrafficPolicy(at, policy, namespace));
  const names = new Set<string>();
  issues.each('subsets', subsets, (at, subset) => {
    at.at('name').check('invalid-subset', dnsLabelProblem(subset.name));
    at.at('name').errorIf(
      names.has(subset.name),
      'duplicate-subset',
      `${quote(subset.name)} is the name of another subset`,
    );
    names.add(subset.name);
    validateLabels(at, 'labels', subset.labels);
    at.errorsOnly.field('trafficPolicy', subset.trafficPolicy, (policyAt, policy) =>
      validateTrafficPolicy(policyAt, policy, namespace),
    );
  });
  validateExportTo(issues, exportTo, { namespace, ownNamespaceOnly: workloadSelector !== undefined });
  issues.field('workloadSelector', workloadSelector, validateWorkloadSelector);
}
