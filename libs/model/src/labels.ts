export type Labels = Readonly<Record<string, string>>;

/** Whether labels have every pair of a selector; an empty selector matches all. */
export function labelsMatch(selector: Labels, labels: Labels): boolean {
  for (const key in selector) if (labels[key] !== selector[key]) return false;
  return true;
}

/** One text for each set of labels, whatever the order they were written in. */
export function labelsKey(labels: Labels): string {
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]}`)
    .join(',');
}

/** The first label that is there and not empty. */
export function firstLabel(labels: Labels, ...keys: readonly string[]): string | undefined {
  for (const key of keys) if (labels[key]) return labels[key];
  return undefined;
}

/** Labels by which a workload is grouped into a canonical service. */
export const canonicalName = (labels: Labels, fallback: string): string =>
  firstLabel(labels, 'service.istio.io/canonical-name', 'app.kubernetes.io/name', 'app') ?? fallback;

export const canonicalRevision = (labels: Labels): string =>
  firstLabel(labels, 'service.istio.io/canonical-revision', 'app.kubernetes.io/version', 'version') ?? 'latest';
