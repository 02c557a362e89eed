/** The shortest decimal that rounds to the same 32-bit float: 0.1, not 0.10000000149011612. */
export function shortestFloat(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}
