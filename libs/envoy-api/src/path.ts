/** Where a value is, from the inside out; written only when there is something to say about it. */
export interface Path {
  readonly outer: Path | undefined;
  readonly step: string | number;
}

/** `filterChains[0].filters[1].typedConfig`; map keys that are no identifiers are quoted: `labels["a/b"]`. */
export function formatPath(path: Path | undefined): string {
  if (!path) return '';
  const outer = formatPath(path.outer);
  if (typeof path.step === 'number') return `${outer}[${path.step}]`;
  if (!/^[\w@-]+$/.test(path.step)) return `${outer}[${JSON.stringify(path.step)}]`;
  return outer === '' ? path.step : `${outer}.${path.step}`;
}
