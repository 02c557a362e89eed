import type { PolicyTargetReference, WorkloadLabelSelector, WorkloadSelector } from '../kinds/selector.ts';
import { type Issues, quote } from './issues.ts';

function validateSelectorLabels(issues: Issues, field: string, labels: Readonly<Record<string, string>>): void {
  issues.entries(field, labels, (at, value, key) => {
    at.errorIf(key === '', 'invalid-selector', 'a label key must not be empty');
    at.errorIf(
      key.includes('*') || value.includes('*'),
      'invalid-selector',
      `wildcards are not supported in selectors: ${quote(`${key}=${value}`)}`,
    );
  });
  issues.warnIf(
    Object.keys(labels).length === 0,
    'selector-without-labels',
    'the selector has no labels, so it selects every workload; leave it out if that is meant',
  );
}

/** The selector of policies, telemetry and extensions. */
export function validateWorkloadSelector(issues: Issues, selector: WorkloadSelector): void {
  validateSelectorLabels(issues, 'matchLabels', selector.matchLabels);
}

/** The selector of Sidecar, ServiceEntry and EnvoyFilter. */
export function validateWorkloadLabelSelector(issues: Issues, selector: WorkloadLabelSelector): void {
  validateSelectorLabels(issues, 'labels', selector.labels);
}

/** Whether a selector's labels are well-formed; one without labels is. */
export function hasValidLabels(selector: WorkloadLabelSelector | undefined): boolean {
  return Object.entries(selector?.labels ?? {}).every(([key, value]) => key !== '' && !`${key}${value}`.includes('*'));
}

/** What a policy applies to: workloads by labels, or named objects. */
export interface PolicyTarget {
  readonly selector?: WorkloadSelector;
  readonly targetRef?: PolicyTargetReference;
  readonly targetRefs: readonly PolicyTargetReference[];
}

export function validatePolicyTarget(issues: Issues, { selector, targetRef, targetRefs }: PolicyTarget): void {
  const given = [selector !== undefined, targetRef !== undefined, targetRefs.length > 0].filter(Boolean).length;
  issues.errorIf(given > 1, 'conflicting-fields', 'at most one of selector, targetRef and targetRefs may be set');
  issues.field('selector', selector, validateWorkloadSelector);
  issues.field('targetRef', targetRef, validateTargetReference);
  issues.each('targetRefs', targetRefs, validateTargetReference);
}

const TARGETS: Readonly<Record<string, readonly string[]>> = {
  '': ['Service'],
  core: ['Service'],
  'networking.istio.io': ['ServiceEntry'],
  'gateway.networking.k8s.io': ['Gateway', 'GatewayClass'],
};

function validateTargetReference(
  issues: Issues,
  { group = '', kind, name, namespace = '' }: PolicyTargetReference,
): void {
  issues.errorIf(name === '', 'required', 'the target needs a name');
  issues.errorIf(
    namespace !== '',
    'unsupported',
    'targets in another namespace are not supported; leave namespace out',
  );
  issues.errorIf(
    !(Object.hasOwn(TARGETS, group) && TARGETS[group]?.includes(kind)),
    'unsupported-target',
    `${quote(group ? `${group}/${kind}` : kind)} cannot be a target; these can: Service, networking.istio.io/ServiceEntry, gateway.networking.k8s.io/Gateway and GatewayClass`,
  );
}
