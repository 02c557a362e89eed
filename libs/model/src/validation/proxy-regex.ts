import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { type Problem, quote } from './issues.ts';
import { regexProblem } from './regex.ts';

/* What passes for RE2 syntax may still not be for proxies. Their Unicode is older, they match bytes (as in Latin-1, so that a
   letter beyond ASCII is several), and they bound the size of an expression. */

const CLASS = /\\[pP]\{\^?(\w+)\}/g;
const CATEGORY = /^(?:Any|C[cfos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/;
/** Scripts of Unicode 16 and 17. */
const NEWEST_SCRIPT =
  /^(?:Beria_Erfe|Garay|Gurung_Khema|Kirat_Rai|Ol_Onal|Sidetic|Sunuwar|Tai_Yo|Todhri|Tolong_Siki|Tulu_Tigalari)$/;
/** An escape for what is no byte. */
const NO_BYTE = /(?<!\\)(?:\\\\)*\\x\{0*[1-9a-f][0-9a-f]{2,}\}/i;
const LAST_BYTE = 0xff;
/** As many instructions as proxies let an expression have (`re2.max_program_size.error_level` of their bootstrap). */
const MAX_INSTRUCTIONS = 32_768;

/**
 * What is known of expressions. A mesh has few, each stands in many messages that are checked again and again, and to compile
 * one takes longer than the rest of a message. At most about a megabyte of text.
 */
const verdicts = new LRUCache<string, { readonly problem: Problem }>({
  maxSize: 500_000,
  sizeCalculation: ({ problem = '' }, regex) => regex.length + problem.length + 50,
  memoMethod: (regex) => ({ problem: problemOf(regex) }),
});

/** A regular expression that proxies compile. */
export function proxyRegexProblem(regex: string): Problem {
  return verdicts.memo(regex).problem;
}

function problemOf(regex: string): Problem {
  const bytes = Buffer.from(regex).toString('latin1');
  const problem = regexProblem(regex) ?? regexProblem(bytes);
  if (problem !== undefined) return problem;
  const unknown = [...regex.matchAll(CLASS)].find(([, name = '']) => !CATEGORY.test(name) && !isScript(name));
  const [strange] = unknown ?? NO_BYTE.exec(regex) ?? [];
  if (strange !== undefined) return `${quote(regex)}: ${strange} is not known to proxies`;
  return instructions(bytes) > MAX_INSTRUCTIONS ? `${quote(regex)} is too large for proxies` : undefined;
}

/** The text that takes the place of a match: `\0` to `\9` stand for what the groups of the expression matched. */
export function regexRewriteProblem(regex: string, rewrite: string): Problem {
  if (regexProblem(regex) !== undefined) return undefined;
  const groups = RE2JS.compile(regex).groupCount();
  const isFine = (char: string): boolean => char === '\\' || (/\d/.test(char) && Number(char) <= groups);
  const bad = [...rewrite.matchAll(/\\(.?)/gs)].find(([, char = '']) => !isFine(char));
  return bad && `${quote(rewrite)}: ${quote(bad[0])} stands for no group of ${quote(regex)}`;
}

function isScript(name: string): boolean {
  if (NEWEST_SCRIPT.test(name)) return false;
  try {
    return new RegExp(`\\p{Script=${name}}`, 'u').source !== '';
  } catch {
    return false;
  }
}

interface Instruction {
  /** The first and last characters of ranges, or one character. */
  readonly runes?: readonly number[];
}

/** How large proxies find an expression: a range of bytes is an instruction. */
function instructions(bytes: string): number {
  const program = RE2JS.compile(bytes).re2Input.prog.inst as readonly Instruction[];
  return program.reduce((sum, { runes = [] }) => {
    const ranges = runes.filter((rune, at) => at % 2 === 0 && rune <= LAST_BYTE).length;
    return sum + Math.max(1, ranges);
  }, 0);
}
