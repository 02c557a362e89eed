import type { RouteAction, RouteMatch } from '@kedge/envoy-api';
import type { HTTPRewrite } from '@kedge/model';
import type { RouteSemantics } from '@kedge/pushcontext';

/** How the path of a request changes on its way. */
export function pathRewrite(
  { uri, uriRegexRewrite }: HTTPRewrite,
  match: RouteMatch,
  semantics: RouteSemantics,
): RouteAction {
  if (uriRegexRewrite) {
    const { match: regex = '', rewrite: substitution = '' } = uriRegexRewrite;
    return { regexRewrite: { pattern: { regex }, ...(substitution ? { substitution } : {}) } };
  }
  if (!uri) return {};
  if (semantics === 'gateway' && uri === '/') return removedPrefix(match.pathSeparatedPrefix ?? '');
  return { prefixRewrite: uri };
}

/** Takes a prefix of whole segments away; the slash stays where nothing else is left. */
function removedPrefix(prefix: string): RouteAction {
  return { regexRewrite: { pattern: { regex: `^${quoteRegex(prefix)}(/?)(.*)` }, substitution: '/\\2' } };
}

/** RE2's own quoting: https://pkg.go.dev/regexp#QuoteMeta */
function quoteRegex(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}
