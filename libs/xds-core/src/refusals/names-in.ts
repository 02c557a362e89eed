/** Characters of which names of resources are made, so that a name which is the beginning of another isn't taken for it. */
const partOfName = /[\w|*-]/;

/** Those of the names that an error text mentions. */
export function namesIn(text: string, names: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const name of names) if (name !== '' && mentions(text, name)) found.add(name);
  return found;
}

function mentions(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (isBoundary(text, at - 1, -1) && isBoundary(text, at + name.length, 1)) return true;
  }
  return false;
}

/** Dots and colons belong to a name only if it goes on after them. */
function isBoundary(text: string, at: number, step: 1 | -1): boolean {
  const beside = text[at] ?? '';
  if (beside === '.' || (beside === ':' && step === -1)) return !partOfName.test(text[at + step] ?? '');
  return !partOfName.test(beside);
}
