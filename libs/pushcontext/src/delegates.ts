import type { HTTPMatchRequest, HTTPRoute, StringMatch } from '@kedge/model';

/**
 * A root route with the routes of its delegate in its place. Each delegate match is narrowed by the root's matches; what
 * contradicts the root is left out, and so is a route of which nothing remains. Settings of the root win over those of the
 * delegate.
 */
export function mergeDelegate(root: HTTPRoute, delegate: readonly HTTPRoute[]): readonly HTTPRoute[] {
  return delegate.flatMap((route) => {
    const match = mergeMatches(root.match, route.match);
    if (!match) return [];
    const { delegate: _, ...settings } = root;
    const set = Object.fromEntries(
      Object.entries(settings).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== undefined)),
    );
    return [{ ...route, ...set, name: joinNames(root.name, route.name), match }];
  });
}

function joinNames(root: string | undefined, delegate: string | undefined): string | undefined {
  return root && delegate ? `${root}-${delegate}` : root || delegate;
}

/** Undefined where no combination is possible; an empty list where neither side asks for anything. */
function mergeMatches(
  root: readonly HTTPMatchRequest[],
  delegate: readonly HTTPMatchRequest[],
): readonly HTTPMatchRequest[] | undefined {
  if (root.length === 0) return delegate;
  if (delegate.length === 0) return root;
  const combined = delegate.flatMap((d) => root.map((r) => mergeMatch(r, d))).filter((match) => match !== undefined);
  return combined.length > 0 ? combined : undefined;
}

const TEXT_FIELDS = ['uri', 'scheme', 'method', 'authority'] as const;
const MAP_FIELDS = ['headers', 'withoutHeaders', 'queryParams'] as const;

/** Undefined where the two exclude each other. */
function mergeMatch(root: HTTPMatchRequest, delegate: HTTPMatchRequest): HTTPMatchRequest | undefined {
  const merged: { -readonly [K in keyof HTTPMatchRequest]: HTTPMatchRequest[K] } = {
    ...delegate,
    gateways: root.gateways,
    ignoreUriCase: root.ignoreUriCase ?? delegate.ignoreUriCase,
    name: joinNames(root.name, delegate.name),
    statPrefix: root.statPrefix || delegate.statPrefix,
  };
  for (const field of TEXT_FIELDS) {
    const narrowed = narrow(root[field], delegate[field]);
    if (narrowed === 'conflict') return undefined;
    merged[field] = narrowed;
  }
  for (const field of MAP_FIELDS) {
    const values: Record<string, StringMatch> = { ...delegate[field] };
    for (const [name, value] of Object.entries(root[field])) {
      const narrowed = narrow(value, values[name]);
      if (narrowed === 'conflict') return undefined;
      if (narrowed) values[name] = narrowed;
    }
    merged[field] = values;
  }
  if (root.port && delegate.port && root.port !== delegate.port) return undefined;
  merged.port = root.port || delegate.port;
  if (root.sourceNamespace && delegate.sourceNamespace && root.sourceNamespace !== delegate.sourceNamespace)
    return undefined;
  merged.sourceNamespace = root.sourceNamespace || delegate.sourceNamespace;
  for (const [name, value] of Object.entries(root.sourceLabels)) {
    if ((delegate.sourceLabels[name] ?? value) !== value) return undefined;
  }
  merged.sourceLabels = { ...delegate.sourceLabels, ...root.sourceLabels };
  return merged;
}

/** What satisfies both, where one contains the other: a delegate may only narrow what its root lets through. */
function narrow(
  root: StringMatch | undefined,
  delegate: StringMatch | undefined,
): StringMatch | undefined | 'conflict' {
  if (!root || matchesAll(root)) return delegate ?? root;
  if (!delegate) return root;
  if (root.regex !== undefined || delegate.regex !== undefined)
    return root.regex === delegate.regex ? root : 'conflict';
  if (delegate.exact !== undefined) {
    const allowed =
      root.exact !== undefined ? root.exact === delegate.exact : delegate.exact.startsWith(root.prefix ?? '');
    return allowed ? delegate : 'conflict';
  }
  if (root.prefix !== undefined && (delegate.prefix ?? '').startsWith(root.prefix)) return delegate;
  return 'conflict';
}

function matchesAll(match: StringMatch): boolean {
  return match.exact === undefined && match.prefix === undefined && match.regex === undefined;
}
