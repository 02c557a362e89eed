/**
 * Who may see an object, from `exportTo`: everybody, named namespaces, or nobody. `.` in `exportTo` has been replaced by
 * the object's own namespace; `~` (nobody) is an empty list.
 */
export type Visibility = '*' | readonly string[];

export function parseVisibility(exportTo: readonly string[], namespace: string, fallback: Visibility): Visibility {
  if (exportTo.length === 0) return fallback;
  if (exportTo.includes('*')) return '*';
  return [...new Set(exportTo.filter((to) => to !== '~').map((to) => (to === '.' ? namespace : to)))].sort();
}

export function isVisibleTo(visibility: Visibility, namespace: string): boolean {
  return visibility === '*' || visibility.includes(namespace);
}
