import { integerOf, typeName, type Value } from '../value/value.ts';
import { plainSpec, type Spec } from './spec.ts';
import { formatValue } from './value.ts';

const maxNumber = 1_000_000;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A format being worked through, with the argument that comes next. */
class Format {
  readonly #format: string;
  readonly #args: readonly Value[];
  #at = 0;
  #arg = 0;
  /** Whether the format chose arguments by number, which excuses those it left out. */
  #reordered = false;
  #goodIndex = true;
  #afterIndex = false;
  #output = '';

  constructor(format: string, args: readonly Value[]) {
    this.#format = format;
    this.#args = args;
  }

  run(): string {
    while (this.#at < this.#format.length) {
      const percent = this.#format.indexOf('%', this.#at);
      this.#output += this.#format.slice(this.#at, percent < 0 ? undefined : percent);
      if (percent < 0) break;
      this.#at = percent + 1;
      this.#directive();
    }
    return this.#output + this.#extra();
  }

  #extra(): string {
    if (this.#reordered || this.#arg >= this.#args.length) return '';
    const shown = this.#args
      .slice(this.#arg)
      .map((arg) => (arg === null || arg === undefined ? '<nil>' : `${typeName(arg)}=${formatValue(arg, 'v')}`));
    return `%!(EXTRA ${shown.join(', ')})`;
  }

  #flags(spec: Mutable<Spec>): void {
    const names = { '#': 'sharp', '0': 'zero', '+': 'plus', '-': 'minus', ' ': 'space' } as const;
    for (;;) {
      const name = names[this.#format.charAt(this.#at) as keyof typeof names];
      if (name === undefined) return;
      spec[name] = true;
      this.#at++;
    }
  }

  /** `[n]`: which argument comes next. */
  #index(): void {
    this.#afterIndex = false;
    if (this.#format.charAt(this.#at) !== '[') return;
    this.#reordered = true;
    const close = this.#format.indexOf(']', this.#at);
    if (close < 0) {
      this.#goodIndex = false;
      this.#at++;
      return;
    }
    const digits = this.#format.slice(this.#at + 1, close);
    const index = /^[0-9]+$/.test(digits) ? Number(digits) - 1 : -1;
    this.#at = close + 1;
    this.#afterIndex = /^[0-9]+$/.test(digits);
    if (index >= 0 && index < this.#args.length) this.#arg = index;
    else this.#goodIndex = false;
  }

  #number(): number | undefined {
    const digits = /^[0-9]+/.exec(this.#format.slice(this.#at))?.[0];
    if (digits === undefined) return undefined;
    if (Number(digits) > maxNumber) {
      this.#at = this.#format.length;
      return undefined;
    }
    this.#at += digits.length;
    return Number(digits);
  }

  /** `*`: a number among the arguments. */
  #star(): number | undefined {
    this.#at++;
    this.#afterIndex = false;
    if (this.#arg >= this.#args.length) return undefined;
    const value = integerOf(this.#args[this.#arg++]);
    return value === undefined || value > maxNumber || value < -maxNumber ? undefined : Number(value);
  }

  #width(spec: Mutable<Spec>): void {
    if (this.#format.charAt(this.#at) === '*') {
      const width = this.#star();
      if (width === undefined) this.#output += '%!(BADWIDTH)';
      else if (width < 0) Object.assign(spec, { minus: true, zero: false });
      spec.width = width === undefined ? undefined : Math.abs(width);
      return;
    }
    spec.width = this.#number();
    if (this.#afterIndex && spec.width !== undefined) this.#goodIndex = false;
  }

  #precision(spec: Mutable<Spec>): void {
    if (this.#format.charAt(this.#at) !== '.' || this.#at + 1 >= this.#format.length) return;
    this.#at++;
    if (this.#afterIndex) this.#goodIndex = false;
    this.#index();
    if (this.#format.charAt(this.#at) !== '*') {
      spec.precision = this.#number() ?? 0;
      return;
    }
    const precision = this.#star();
    if (precision === undefined || precision < 0) this.#output += '%!(BADPREC)';
    else spec.precision = precision;
  }

  #directive(): void {
    const spec: Mutable<Spec> = { ...plainSpec };
    this.#goodIndex = true;
    this.#flags(spec);
    this.#index();
    this.#width(spec);
    this.#precision(spec);
    if (!this.#afterIndex) this.#index();
    const code = this.#format.codePointAt(this.#at);
    if (code === undefined) {
      this.#output += '%!(NOVERB)';
      return;
    }
    const verb = String.fromCodePoint(code);
    this.#at += verb.length;
    this.#output += this.#argument(verb, spec);
  }

  #argument(verb: string, spec: Mutable<Spec>): string {
    if (verb === '%') return '%';
    if (!this.#goodIndex) return `%!${verb}(BADINDEX)`;
    if (this.#arg >= this.#args.length) return `%!${verb}(MISSING)`;
    if (verb === 'v') Object.assign(spec, { sharpV: spec.sharp, sharp: false, plusV: spec.plus, plus: false });
    return formatValue(this.#args[this.#arg++], verb, spec);
  }
}

/** Go's `fmt.Sprintf`. */
export const sprintf = (format: string, args: readonly Value[]): string => new Format(format, args).run();
