const literal = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** A class `[abc]`, `[a-z]`, `[!a-z]`: what it's in a regular expression, and where it ends; undefined if it isn't closed. */
const characterClass = (pattern: string, at: number): { readonly text: string; readonly end: number } | undefined => {
  const match = /^\[(!?)((?:\\.|[^\]\\])+)\]/s.exec(pattern.slice(at));
  if (match === null) return undefined;
  return { text: `[${match[1] === '!' ? '^' : ''}${match[2]!.replace(/[[^]/g, '\\$&')}]`, end: at + match[0].length };
};

const everything = /^/;

/**
 * A pattern of file names: `*` and `?` stop at slashes, `**` doesn't, `{a,b}` are alternatives. One that makes no sense matches
 * everything, as in Helm.
 */
export const globPattern = (pattern: string): RegExp => {
  let source = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === '*') {
      const crosses = pattern.charAt(at + 1) === '*';
      if (crosses) at++;
      source += crosses ? '.*' : '[^/]*';
    } else if (char === '?') source += '[^/]';
    else if (char === '{') {
      depth++;
      source += '(?:';
    } else if (char === '}' && depth > 0) {
      depth--;
      source += ')';
    } else if (char === ',' && depth > 0) source += '|';
    else if (char === '\\') {
      at++;
      source += literal(pattern.charAt(at));
    } else if (char === '[') {
      const found = characterClass(pattern, at);
      if (found === undefined) return everything;
      source += found.text;
      at = found.end - 1;
    } else source += literal(char);
  }
  return depth > 0 ? everything : new RegExp(`^(?:${source})$`, 's');
};
