import type { Config } from '@kedge/model';

/** What decides between objects of a kind that say different things: the older one wins, then name, then namespace. */
export function compareAge(
  a: Pick<Config, 'creationTimestamp' | 'name' | 'namespace'>,
  b: Pick<Config, 'creationTimestamp' | 'name' | 'namespace'>,
): number {
  return (
    a.creationTimestamp - b.creationTimestamp || compareText(a.name, b.name) || compareText(a.namespace, b.namespace)
  );
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
