/** The formats of Prometheus that are put together here. */
export const textFormat = 'text/plain; version=0.0.4; charset=utf-8';
const openMetrics = 'application/openmetrics-text';
/** What a wildcard of the client stands for. */
const wildcards: Readonly<Record<string, string>> = {
  '*/*': 'text/plain;version=0.0.4',
  '*': 'text/plain;version=0.0.4',
  'application/*': `${openMetrics};version=0.0.1`,
};
const mergeable: ReadonlySet<string> = new Set(['text/*', 'text/plain', openMetrics]);

/** What the application may answer with to a client that accepts this; it prefers what the client named first. */
export function acceptedByMerge(accept: string): string {
  const types = accept
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
    .map((item) => {
      const [type = '', ...parameters] = item.split(';').map((part) => part.trim());
      const kept = parameters.filter((parameter) => parameter !== '' && !/^q\s*=/i.test(parameter));
      return wildcards[type.toLowerCase()] ?? [type.toLowerCase(), ...kept].join(';');
    })
    .filter((item) => mergeable.has(item.split(';')[0] ?? ''));
  const distinct = [...new Set(types)];
  if (distinct.length === 0) return wildcards['*/*']!;
  return distinct.map((item, index) => `${item};q=0.${Math.max(1, distinct.length - index)}`).join(',');
}

/** The format that an application answered in. */
export function formatOf(contentType: string): string {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  if (type !== openMetrics) return textFormat;
  const version = parameters.find((parameter) => parameter.startsWith('version='))?.slice('version='.length) ?? '0.0.1';
  return version === '0.0.1' || version === '1.0.0' ? `${openMetrics}; version=${version}; charset=utf-8` : textFormat;
}

export const isOpenMetrics = (format: string): boolean => format.startsWith(openMetrics);
