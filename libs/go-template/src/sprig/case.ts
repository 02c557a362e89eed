import { utf8Encode } from '../text/utf8.ts';

const isUpper = (char: string): boolean => /^\p{Lu}$/u.test(char);
const isSpace = (char: string): boolean => /^[\t-\r \u0085\u00a0\p{Z}]$/u.test(char);
const isConnector = (char: string): boolean => char === '-' || char === '_' || isSpace(char);

/** One to one, as Go changes the case of runes: where JavaScript makes two characters of one, the one stays. */
const changed = (char: string, to: string): string => (Array.from(to).length === 1 ? to : char);

const lowerRune = (char: string): string => changed(char, char.toLowerCase());
const upperRune = (char: string): string => changed(char, char.toUpperCase());

export const lower = (text: string): string => Array.from(text, lowerRune).join('');
export const upper = (text: string): string => Array.from(text, upperRune).join('');

/** Every word's first letter in upper case; a word is what letters, digits, `_` and quotes are in. */
export const title = (text: string): string => {
  let afterSeparator = true;
  return Array.from(text, (char) => {
    const shown = afterSeparator ? upperRune(char) : char;
    // Above ASCII only white space parts words.
    afterSeparator = char < '\x80' ? !/[A-Za-z0-9_]/.test(char) : !/^[\p{L}\p{N}]$/u.test(char) && isSpace(char);
    return shown;
  }).join('');
};

/** Every word's first letter in lower case; words are parted by white space. */
export const untitle = (text: string): string => {
  let afterSpace = true;
  return Array.from(text, (char) => {
    const shown = afterSpace && !isSpace(char) ? lowerRune(char) : char;
    afterSpace = isSpace(char);
    return shown;
  }).join('');
};

export const swapCase = (text: string): string =>
  text.replace(/[\p{Lu}\p{Lt}\p{Ll}]/gu, (char) => (/\p{Ll}/u.test(char) ? upperRune(char) : lowerRune(char)));

/** The words' first bytes, each as a character. */
export const initials = (text: string): string =>
  latin1(text)
    .split(/[\t-\r \u0085\u00a0]+/)
    .map((word) => word.charAt(0))
    .join('');

/** Text without white space; where there is some, every byte of the rest becomes a character. */
export const withoutSpace = (text: string): string => {
  const bytes = latin1(text);
  return /[\t-\r \u0085\u00a0]/.test(bytes) ? bytes.replace(/[\t-\r \u0085\u00a0]/g, '') : text;
};

const latin1 = (text: string): string => String.fromCharCode(...utf8Encode(text));

/** `some_words` as `SomeWords`; connectors at the start stay, and one of several in a row. */
export const pascalCase = (text: string): string => {
  const chars = Array.from(text);
  const start = chars.findIndex((char) => !isConnector(char));
  if (start < 0) return chars.slice(0, -1).join('') + (chars.at(-1) ?? '').repeat(2);
  let output = chars.slice(0, start).join('');
  let upperRun = isUpper(chars[start]!);
  let current = upperRune(chars[start]!);
  if (start === chars.length - 1) return output + current;
  for (const char of chars.slice(start + 1)) {
    const previous = current;
    current = char;
    if (isConnector(char) && isConnector(previous)) {
      output += previous;
    } else if (isConnector(previous)) {
      upperRun = isUpper(char);
      current = upperRune(char);
    } else {
      if (upperRun && isUpper(char)) current = lowerRune(char);
      else upperRun = false;
      output += previous;
    }
  }
  return output + current;
};

type WordKind = 'number' | 'upper' | 'alphabet' | 'connector' | 'punctuation' | 'other';

interface Word {
  readonly kind: WordKind;
  readonly text: string;
}

const wordPatterns: readonly (readonly [WordKind, RegExp])[] = [
  ['connector', /[-_\t-\r \u0085\u00a0\p{Z}]+/uy],
  ['punctuation', /\p{P}+/uy],
  // The last capital of a run starts the next word: HTTP, Status.
  ['upper', /\p{Lu}+(?=\p{Lu}(?!\p{Lu})\p{L})|\p{Lu}{2,}|\p{Lu}(?:(?!\p{Lu})\p{L})*/uy],
  ['alphabet', /(?:(?!\p{Lu})\p{L})+/uy],
  ['number', /\p{N}+/uy],
  ['other', /[^\p{L}\p{N}\p{P}\p{Z}\t-\r]+/uy],
];

const words = (text: string): Word[] => {
  const found: Word[] = [];
  for (let at = 0; at < text.length;) {
    for (const [kind, pattern] of wordPatterns) {
      pattern.lastIndex = at;
      const match = pattern.exec(text)?.[0];
      if (match === undefined) continue;
      found.push({ kind, text: match });
      at += match.length;
      break;
    }
  }
  return found;
};

const joins = (kind: WordKind | undefined): boolean => kind === 'alphabet' || kind === 'number';
const parts = (kind: WordKind | undefined): boolean =>
  kind !== undefined && kind !== 'connector' && kind !== 'punctuation';

const joinsLetters = (word: Word | undefined): boolean => word?.kind === 'alphabet';

/** `HTTPServer` as `http-server` (connector `-`): numbers stay with the word before them, or start one of their own. */
export const delimited = (text: string, connector: string): string => {
  const queue = words(text);
  let output = '';
  const write = ({ kind, text: word }: Word): void => {
    if (kind === 'connector') output += Array.from(word, () => connector).join('');
    else output += kind === 'upper' ? lower(word) : word;
  };
  const takeWhileJoined = (): void => {
    while (joins(queue[0]?.kind)) write(queue.shift()!);
  };
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    write(word);
    const next = queue[0]?.kind;
    if (word.kind === 'connector' || word.kind === 'punctuation' || next === undefined) continue;
    if (word.kind === 'number') takeWhileJoined();
    else if (next === 'number') {
      const number = queue.shift()!;
      if (joinsLetters(queue[0])) {
        output += connector;
        write(number);
        takeWhileJoined();
      } else {
        write(number);
      }
    }
    if (parts(queue[0]?.kind)) output += connector;
  }
  return output;
};
