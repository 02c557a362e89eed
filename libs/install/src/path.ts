/**
 * One step of a path: a key of an object, the place in a list (`[2]`), the element with a field (`[name:web]`), or the text of
 * an element (`[:30m]`, `[30m]`).
 */
export type Step =
  | { readonly kind: 'key'; readonly key: string; readonly text: string }
  | { readonly kind: 'index'; readonly index: number; readonly text: string }
  | { readonly kind: 'field'; readonly field: string; readonly value: string; readonly text: string }
  | { readonly kind: 'element'; readonly value: string; readonly text: string };

/** Reads `a.b.[0].c`, `a.[name:x]`, `a\.b.c`: steps stand between dots, a backslash keeps a dot in its step. */
export function parsePath(path: string): readonly Step[] {
  return path
    .split(/(?<!\\)\./)
    .flatMap((part) => splitBracket(part.replaceAll('\\.', '.')))
    .filter((part) => part !== '')
    .map(stepOf);
}

/** `ports[0]` are two steps. */
function splitBracket(part: string): readonly string[] {
  const at = part.indexOf('[');
  return at > 0 ? [part.slice(0, at), part.slice(at)] : [part];
}

function stepOf(text: string): Step {
  if (!text.startsWith('[') || !text.endsWith(']')) return { kind: 'key', key: text, text };
  const inner = text.slice(1, -1);
  if (/^[+-]?\d+$/.test(inner)) return { kind: 'index', index: Number(inner), text };
  const [, field, value] = /^([\w-]+):(.+)$/s.exec(inner) ?? [];
  if (field !== undefined && value !== undefined) return { kind: 'field', field, value, text };
  return { kind: 'element', value: inner.replace(/^:/, ''), text };
}
