/** Flags, width and precision of one verb of a format. */
export interface Spec {
  readonly plus: boolean;
  readonly minus: boolean;
  readonly sharp: boolean;
  readonly space: boolean;
  readonly zero: boolean;
  /** `%+v` and `%#v`, whose flags mean something else. */
  readonly plusV: boolean;
  readonly sharpV: boolean;
  readonly width: number | undefined;
  readonly precision: number | undefined;
}

export const plainSpec: Spec = {
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  plusV: false,
  sharpV: false,
  width: undefined,
  precision: undefined,
};

const codePoints = (text: string): number => (/^[\0-\x7f]*$/.test(text) ? text.length : Array.from(text).length);

/** Pads to the width, on the side that the spec asks for. */
export const pad = (text: string, spec: Spec): string => {
  const missing = (spec.width ?? 0) - codePoints(text);
  if (missing <= 0) return text;
  if (spec.minus) return text + ' '.repeat(missing);
  return (spec.zero ? '0' : ' ').repeat(missing) + text;
};

/** At most so many runes as the precision says. */
export const truncate = (text: string, { precision }: Spec): string =>
  precision === undefined || precision >= text.length ? text : Array.from(text).slice(0, precision).join('');
