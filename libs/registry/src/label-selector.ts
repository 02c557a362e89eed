import { type Labels, labelsMatch, type LabelSelector } from '@kedge/model';

/**
 * Whether labels fulfil all of a selector; an operator that is not known matches nothing.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#resources-that-support-set-based-requirements
 */
export function selectorMatches({ matchLabels, matchExpressions }: LabelSelector, labels: Labels): boolean {
  return (
    labelsMatch(matchLabels, labels) &&
    matchExpressions.every(({ key = '', operator, values }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          return false;
      }
    })
  );
}
