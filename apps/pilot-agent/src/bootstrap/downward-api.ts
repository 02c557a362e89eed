/**
 * Parses a file of the Kubernetes downward API: one `key="value"` a line, the value quoted as a Go string.
 * @throws Error naming the key whose value is not a quoted string.
 */
export function parseDownwardApi(text: string): Readonly<Record<string, string>> {
  const entries = text
    .split('\n')
    .filter((line) => line.includes('='))
    .map((line) => {
      const at = line.indexOf('=');
      const key = line.slice(0, at);
      return [key, unquote(line.slice(at + 1), key)] as const;
    });
  return Object.fromEntries(entries);
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};

function unquote(quoted: string, key: string): string {
  const body = /^"((?:[^"\\]|\\.)*)"$/s.exec(quoted.trimEnd())?.[1];
  if (body === undefined) throw new Error(`value of ${key} is not a quoted string: ${quoted}`);
  return body.replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)/gs, (_, escape: string) => {
    if (/^[xuU]./.test(escape)) return String.fromCodePoint(parseInt(escape.slice(1), 16));
    if (/^[0-7]{3}$/.test(escape)) return String.fromCodePoint(parseInt(escape, 8));
    const char = simpleEscapes[escape];
    if (char === undefined) throw new Error(`value of ${key} has an unknown escape \\${escape}`);
    return char;
  });
}
