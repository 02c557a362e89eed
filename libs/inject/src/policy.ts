import type { Pod } from './pod.ts';
import { isEmptySelector, type LabelSelector, selects } from './selector.ts';

export interface InjectionPolicy {
  /** `enabled` or `disabled`: what happens to a pod that nothing else decides about. With any other text nothing is injected. */
  readonly policy: string;
  readonly neverInjectSelector?: readonly LabelSelector[];
  readonly alwaysInjectSelector?: readonly LabelSelector[];
}

/** Namespaces of the cluster itself, in which nothing is injected. */
const IGNORED_NAMESPACES: ReadonlySet<string> = new Set([
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'local-path-storage',
]);

const INJECT = 'sidecar.istio.io/inject';

/** Whether a pod is to be injected: by its own wish, else by the selectors, else by the policy. */
export function isInjectionRequired(config: InjectionPolicy, { metadata, spec }: Pod): boolean {
  if (spec.hostNetwork === true || IGNORED_NAMESPACES.has(metadata.namespace ?? '')) return false;
  const policy = POLICIES[config.policy];
  if (policy === undefined) return false;
  const { labels = {}, annotations = {} } = metadata;
  const wish = WISHES[labels[INJECT] ?? annotations[INJECT] ?? ''];
  if (wish !== undefined) return wish;
  const isSelectedBy = (selectors: readonly LabelSelector[] = []) =>
    selectors.some((selector) => !isEmptySelector(selector) && selects(selector, labels));
  if (isSelectedBy(config.neverInjectSelector)) return false;
  return isSelectedBy(config.alwaysInjectSelector) || policy;
}

const POLICIES: Readonly<Record<string, boolean>> = { enabled: true, disabled: false };
const WISHES: Readonly<Record<string, boolean>> = { true: true, false: false };
