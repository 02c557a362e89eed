import type { HTTPMatchRequest, HTTPRoute, StringMatch } from '@kedge/model';

/**
 * A route of a delegate as it stands in place of the root's route that names it: narrowed by the matches of the root, with
 * the root's settings where the delegate has none of its own. Undefined where no match of it agrees with the root.
 * https://istio.io/latest/docs/reference/config/networking/virtual-service/#Delegate
 */
export function mergeDelegate(root: HTTPRoute, delegate: HTTPRoute): HTTPRoute | undefined {
  const match = mergeMatches(root.match, delegate.match);
  if (!match) return undefined;
  const inherited = Object.fromEntries(INHERITED.map((field) => [field, delegate[field] ?? root[field]]));
  return {
    ...delegate,
    ...inherited,
    name: joinNames(root.name, delegate.name),
    mirrors: delegate.mirrors.length > 0 ? delegate.mirrors : root.mirrors,
    match,
  };
}

const INHERITED = [
  'rewrite',
  'directResponse',
  'timeout',
  'retries',
  'fault',
  'mirror',
  'mirrorPercent',
  'mirrorPercentage',
  'corsPolicy',
  'headers',
] as const satisfies readonly (keyof HTTPRoute)[];

function joinNames(root: string | undefined, delegate: string | undefined): string | undefined {
  return root && delegate ? `${root}-${delegate}` : root || delegate;
}

/** Every match of the delegate within every one of the root; undefined where they all contradict each other. */
function mergeMatches(
  root: readonly HTTPMatchRequest[],
  delegate: readonly HTTPMatchRequest[],
): readonly HTTPMatchRequest[] | undefined {
  if (root.length === 0) return delegate;
  if (delegate.length === 0) return root;
  const combined = delegate.flatMap((inner) =>
    root.filter((outer) => agrees(outer, inner)).map((outer) => mergeMatch(outer, inner)),
  );
  return combined.length > 0 ? combined : undefined;
}

function mergeMatch(root: HTTPMatchRequest, delegate: HTTPMatchRequest): HTTPMatchRequest {
  return {
    ...delegate,
    name: joinNames(root.name, delegate.name),
    uri: delegate.uri ?? root.uri,
    scheme: delegate.scheme ?? root.scheme,
    method: delegate.method ?? root.method,
    authority: delegate.authority ?? root.authority,
    headers: { ...root.headers, ...delegate.headers },
    withoutHeaders: { ...root.withoutHeaders, ...delegate.withoutHeaders },
    queryParams: { ...root.queryParams, ...delegate.queryParams },
    port: delegate.port || root.port,
    sourceLabels: { ...root.sourceLabels, ...delegate.sourceLabels },
    sourceNamespace: delegate.sourceNamespace || root.sourceNamespace,
    gateways: delegate.gateways.length > 0 ? delegate.gateways : root.gateways,
    statPrefix: delegate.statPrefix || root.statPrefix,
  };
}

const TEXT_FIELDS = ['uri', 'scheme', 'method', 'authority'] as const;
const MAP_FIELDS = ['headers', 'withoutHeaders', 'queryParams'] as const;

/** Whether a delegate's match asks for nothing that its root excludes. */
function agrees(root: HTTPMatchRequest, delegate: HTTPMatchRequest): boolean {
  return (
    TEXT_FIELDS.every((field) => narrows(root[field], delegate[field])) &&
    MAP_FIELDS.every((field) =>
      Object.entries(delegate[field]).every(([name, value]) => narrows(root[field][name], value)),
    ) &&
    (root.ignoreUriCase ?? false) === (delegate.ignoreUriCase ?? false) &&
    (!root.port || !delegate.port || root.port === delegate.port) &&
    (!root.sourceNamespace || root.sourceNamespace === delegate.sourceNamespace) &&
    Object.entries(delegate.sourceLabels).every(([name, value]) => (root.sourceLabels[name] ?? value) === value) &&
    (root.gateways.length === 0 || delegate.gateways.every((gateway) => root.gateways.includes(gateway)))
  );
}

/** Whether whatever meets the inner test meets the outer one; a regular expression agrees with nothing beside it. */
function narrows(outer: StringMatch | undefined, inner: StringMatch | undefined): boolean {
  if (!outer || !inner) return true;
  if (outer.regex || inner.regex) return false;
  if (outer.exact) return !inner.prefix && inner.exact === outer.exact;
  const start = inner.prefix || inner.exact;
  return Boolean(outer.prefix && start?.startsWith(outer.prefix));
}
