import { celProblem, proxyRegexProblem } from '@kedge/model';

/** Functions that Envoy knows in expressions; there are no macros that go through lists. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  `bool bytes capture captureN contains double duration dyn endsWith extract has int matches size startsWith timestamp type uint
  getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds`.split(
    /\s+/,
  ),
);

const TEXT = /[rR]?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/gs;
const CALL = /([A-Za-z_]\w*)\s*\(/g;
const WHOLE = /(?<![\w.])(-?)(0x[0-9a-f]+|\d+)(u?)(?![\w.])/gi;
/** A regular expression that stands in the text. */
const PATTERN = /\bmatches\s*\((?:[^()'"]*,)?\s*([rR]?)(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/gs;

const SIGNED_END = 2n ** 63n;
const UNSIGNED_END = 2n ** 64n;

/** What Envoy has against an expression of CEL. */
export function expressionProblem(expression: string): string | undefined {
  const problem = celProblem(expression);
  if (problem !== undefined) return problem;
  const code = expression.replaceAll(TEXT, '""');
  const unknown = [...code.matchAll(CALL)].find(([, name = '']) => !FUNCTIONS.has(name) && name !== 'in');
  if (unknown) return `calls ${unknown[1]}, which proxies don't know`;
  const large = [...code.matchAll(WHOLE)].find(([, sign, digits = '', unsigned]) => {
    const end = unsigned ? UNSIGNED_END : sign ? SIGNED_END + 1n : SIGNED_END;
    return BigInt(digits) >= end;
  });
  if (large) return `has ${large[0]}, which is too large`;
  const patterns = [...expression.matchAll(PATTERN)].map(([, raw, double, single = '']) => {
    const text = double ?? single;
    return raw ? text : text.replaceAll(/\\(.)/gs, '$1');
  });
  return patterns.map(proxyRegexProblem).find(Boolean);
}
