/** A value without the nulls in it; a map in which nothing is left is null itself. */
export function omitNil(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitNil).filter((item) => item !== null);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value)
    .map(([key, item]) => [key, omitNil(item)] as const)
    .filter(([, item]) => item !== null);
  return entries.length > 0 || Object.keys(value).length === 0 ? Object.fromEntries(entries) : null;
}
