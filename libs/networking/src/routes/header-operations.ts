import type { HeaderValueOption, Route } from '@kedge/envoy-api';
import type { HeaderManipulation, HeaderOperations } from '@kedge/model';
import { compareText } from '@kedge/pushcontext';

/** Changes of headers, under the names that routes and weighted clusters have for them. */
export type HeaderChanges = Required<
  Pick<Route, 'requestHeadersToAdd' | 'requestHeadersToRemove' | 'responseHeadersToAdd' | 'responseHeadersToRemove'>
>;

export const NO_HEADER_CHANGES: HeaderChanges = {
  requestHeadersToAdd: [],
  requestHeadersToRemove: [],
  responseHeadersToAdd: [],
  responseHeadersToRemove: [],
};

export function headerChanges(headers: HeaderManipulation | undefined): HeaderChanges {
  if (!headers) return NO_HEADER_CHANGES;
  const { request, response } = headers;
  return {
    requestHeadersToAdd: additions(request),
    requestHeadersToRemove: removals(request),
    responseHeadersToAdd: additions(response),
    responseHeadersToRemove: removals(response),
  };
}

export function joinHeaderChanges(a: HeaderChanges, b: HeaderChanges): HeaderChanges {
  return {
    requestHeadersToAdd: [...a.requestHeadersToAdd, ...b.requestHeadersToAdd],
    requestHeadersToRemove: [...a.requestHeadersToRemove, ...b.requestHeadersToRemove],
    responseHeadersToAdd: [...a.responseHeadersToAdd, ...b.responseHeadersToAdd],
    responseHeadersToRemove: [...a.responseHeadersToRemove, ...b.responseHeadersToRemove],
  };
}

/** Without the empty lists. */
export function presentHeaderChanges(changes: HeaderChanges): Partial<HeaderChanges> {
  return Object.fromEntries(Object.entries(changes).filter(([, list]) => list.length > 0));
}

/**
 * The host that a request is rewritten to by changing its `:authority` or `host` header, which Envoy doesn't do as a change
 * of headers. `set` wins over `add`; the last by name wins among several.
 */
export function authorityOf(headers: HeaderManipulation | undefined): string {
  return authorityIn(headers?.request?.set) || authorityIn(headers?.request?.add);
}

function authorityIn(values: Readonly<Record<string, string>> = {}): string {
  const names = Object.keys(values).filter((name) => [':authority', 'host'].includes(name.toLowerCase()));
  return values[names.sort().at(-1) ?? ''] ?? '';
}

/** Headers that Envoy doesn't let routes change. */
const isInternal = (name: string): boolean => name.startsWith(':') || name.toLowerCase() === 'host';

function additions({ set = {}, add = {} }: Partial<HeaderOperations> = {}): readonly HeaderValueOption[] {
  return [
    ...sortedHeaders(set).map((header) => ({ header, appendAction: 'OVERWRITE_IF_EXISTS_OR_ADD' as const })),
    ...sortedHeaders(add).map((header) => ({ header })),
  ];
}

function sortedHeaders(values: Readonly<Record<string, string>>): readonly NonNullable<HeaderValueOption['header']>[] {
  return Object.entries(values)
    .filter(([key]) => !isInternal(key))
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, value]) => ({ key, value }));
}

function removals({ remove = [] }: Partial<HeaderOperations> = {}): readonly string[] {
  return remove.filter((name) => !isInternal(name));
}
