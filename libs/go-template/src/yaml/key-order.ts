const isLetter = (char: string): boolean => /^\p{L}$/u.test(char);

const leadingNumber = (chars: readonly string[], from: number): { readonly value: bigint; readonly end: number } => {
  let end = from;
  while (/^\p{Nd}$/u.test(chars[end] ?? '')) end++;
  const digits = chars.slice(from, end).join('');
  return { value: /^[0-9]+$/.test(digits) ? BigInt(digits) : 0n, end };
};

/** Order of a map's keys: numbers within count as numbers, letters come after everything else. */
export const compareKeys = (left: string, right: string): number => {
  const [a, b] = [Array.from(left), Array.from(right)];
  for (let index = 0; index < a.length && index < b.length; index++) {
    const [x, y] = [a[index]!, b[index]!];
    if (x === y) continue;
    const byCode = x.codePointAt(0)! - y.codePointAt(0)!;
    if (isLetter(x) && isLetter(y)) return byCode;
    if (isLetter(x) || isLetter(y)) return isLetter(y) ? -1 : 1;
    // A zero within a number is no leading one.
    const withinNumber = (x === '0' || y === '0') && /[1-9]\d*$/.test(a.slice(0, index).join(''));
    const [m, n] = [leadingNumber(a, index), leadingNumber(b, index)];
    const start = withinNumber ? 1n : 0n;
    const [p, q] = [m.value + start * 10n ** BigInt(m.end - index), n.value + start * 10n ** BigInt(n.end - index)];
    if (p !== q) return p < q ? -1 : 1;
    return m.end === n.end ? byCode : m.end - n.end;
  }
  return a.length - b.length;
};
