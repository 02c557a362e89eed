import { FunctionError } from '../exec/template-error.ts';
import { quote } from '../text/quote.ts';
import { utf8Encode } from '../text/utf8.ts';
import { types, type GoType } from '../value/type.ts';
import { GoList, GoMap, typeOf, type Value } from '../value/value.ts';

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const literals: Readonly<Record<string, readonly [string, Value]>> = {
  t: ['true', true],
  f: ['false', false],
  n: ['null', null],
};

const quoteChar = (char: string): string => {
  if (char === "'") return "'\\''";
  if (char === '"') return `'"'`;
  // Go looks at bytes.
  const byte = String.fromCharCode(utf8Encode(char)[0]!);
  return `'${quote(byte).slice(1, -1)}'`;
};

/** Reads JSON with Go's error texts, which templates can see. */
class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Value {
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail('after top-level value');
    return value;
  }

  #fail(context: string): never {
    const code = this.#text.codePointAt(this.#at);
    // At its end, the text is read as if a space followed.
    const refusesSpace = /^in literal|numeric|escape/.test(context);
    if (code === undefined && !refusesSpace) throw new FunctionError('unexpected end of JSON input');
    throw new FunctionError(`invalid character ${quoteChar(String.fromCodePoint(code ?? 0x20))} ${context}`);
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #skipSpace(): string {
    while (' \t\r\n'.includes(this.#peek()) && this.#at < this.#text.length) this.#at++;
    return this.#peek();
  }

  #value(): Value {
    const char = this.#skipSpace();
    if (char === '{') return this.#object();
    if (char === '[') return this.#array();
    if (char === '"') return this.#string();
    if (char === '-' || /^[0-9]$/.test(char)) return this.#number();
    const literal = literals[char];
    return literal === undefined ? this.#fail('looking for beginning of value') : this.#literal(...literal);
  }

  #literal(word: string, value: Value): Value {
    for (let index = 0; index < word.length; index++, this.#at++) {
      if (this.#peek() !== word.charAt(index))
        this.#fail(`in literal ${word} (expecting ${quoteChar(word.charAt(index))})`);
    }
    return value;
  }

  #object(): GoMap {
    const map = new GoMap([]);
    this.#at++;
    if (this.#skipSpace() === '}') {
      this.#at++;
      return map;
    }
    for (;;) {
      if (this.#skipSpace() !== '"') this.#fail('looking for beginning of object key string');
      const key = this.#string();
      if (this.#skipSpace() !== ':') this.#fail('after object key');
      this.#at++;
      map.entries.set(key, this.#value());
      const next = this.#skipSpace();
      if (next !== ',' && next !== '}') this.#fail('after object key:value pair');
      this.#at++;
      if (next === '}') return map;
    }
  }

  #array(): GoList {
    const items: Value[] = [];
    this.#at++;
    if (this.#skipSpace() === ']') {
      this.#at++;
      return new GoList(items);
    }
    for (;;) {
      items.push(this.#value());
      const next = this.#skipSpace();
      if (next !== ',' && next !== ']') this.#fail('after array element');
      this.#at++;
      if (next === ']') return new GoList(items);
    }
  }

  #string(): string {
    let text = '';
    for (this.#at++; ; this.#at++) {
      const char = this.#peek();
      if (char === '"') break;
      if (char === '' || char < ' ') this.#fail('in string literal');
      if (char !== '\\') {
        text += char;
        continue;
      }
      this.#at++;
      text += this.#peek() === 'u' ? this.#unicode() : (escapes[this.#peek()] ?? this.#fail('in string escape code'));
    }
    this.#at++;
    return text.isWellFormed()
      ? text
      : text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
  }

  #unicode(): string {
    const start = this.#at + 1;
    for (let index = 0; index < 4; index++) {
      this.#at++;
      if (!/^[0-9a-fA-F]$/.test(this.#peek())) this.#fail('in \\u hexadecimal character escape');
    }
    return String.fromCharCode(Number.parseInt(this.#text.slice(start, start + 4), 16));
  }

  #digits(context: string): void {
    if (!/^[0-9]$/.test(this.#peek())) this.#fail(context);
    while (/^[0-9]$/.test(this.#peek())) this.#at++;
  }

  #number(): number {
    const start = this.#at;
    if (this.#peek() === '-') this.#at++;
    if (this.#peek() === '0') this.#at++;
    else this.#digits('in numeric literal');
    if (this.#peek() === '.') {
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    if (/^[eE]$/.test(this.#peek())) {
      this.#at++;
      if (/^[+-]$/.test(this.#peek())) this.#at++;
      this.#digits('in exponent of numeric literal');
    }
    const literal = this.#text.slice(start, this.#at);
    const value = Number(literal);
    if (Number.isFinite(value)) return value;
    throw new FunctionError(`json: cannot unmarshal number ${literal} into Go value of type float64`);
  }
}

/** Any JSON; numbers are float64. Throws a FunctionError. */
export const decodeJson = (text: string): Value => new JsonReader(text).document();

const jsonKind = (value: Value): string => {
  if (value instanceof GoMap) return 'object';
  if (value instanceof GoList) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

/** The value if it is of the type, the type's nil for null. Throws a FunctionError. */
export const expectJson = (value: Value, type: GoType): GoMap | GoList => {
  if (value === null) return type === types.anyMap ? new GoMap([], type, undefined, true) : new GoList([], type, true);
  if ((value instanceof GoMap || value instanceof GoList) && typeOf(value) === type) return value;
  throw new FunctionError(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type.name}`);
};
