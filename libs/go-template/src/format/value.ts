import { utf8Decode } from '../text/utf8.ts';
import { GoFunction } from '../value/function.ts';
import { isUnsigned, types, type GoType } from '../value/type.ts';
import {
  GoBytes,
  GoComplex,
  GoList,
  GoMap,
  GoStruct,
  integerOf,
  typeName,
  typeOf,
  type Value,
} from '../value/value.ts';
import { formatBool, formatInteger, formatNumber, formatString } from './basic.ts';
import { pad, plainSpec, type Spec } from './spec.ts';

/** How a list of single values is put down, plainly and as Go source. */
const frame = (type: GoType, items: readonly string[], spec: Spec, open: string): string =>
  spec.sharpV ? `${type.name}{${items.join(', ')}}` : `${open}${items.join(' ')}]`;

const isBytes = (list: GoList): boolean => list.type.elem === types.byte;

export const bytesText = (list: GoList): string =>
  list instanceof GoBytes
    ? list.text
    : utf8Decode(Uint8Array.from(list.items, (item) => Number(integerOf(item) ?? 0n)));

const formatStruct = (value: GoStruct, verb: string, spec: Spec, depth: number): string => {
  const named = spec.plusV || spec.sharpV;
  const fields = [...value.fields].map(
    ([name, field]) => (named ? `${name}:` : '') + formatInner(field, verb, spec, depth + 1),
  );
  const open = value.type.kind === 'ptr' && depth === 0 ? '&' : '';
  const body = fields.join(spec.sharpV ? ', ' : ' ');
  return `${open}${spec.sharpV ? value.type.name.replace(/^\*/, '') : ''}{${body}}`;
};

/** Elements of lists and maps. */
const formatInner = (value: Value, verb: string, spec: Spec, depth: number): string => {
  if (value === null || value === undefined) return spec.sharpV ? 'interface {}(nil)' : '<nil>';
  return formatKnown(value, verb, spec, depth);
};

/** The addresses that Go prints for functions are of no use to anyone. */
const address = '0x0';

const formatComplex = (value: GoComplex, verb: string, spec: Spec): string | undefined => {
  const real = formatNumber(value.real, verb, spec);
  const imaginary = formatNumber(value.imaginary, verb, { ...spec, plus: true });
  return real === undefined || imaginary === undefined ? undefined : `(${real}${imaginary}i)`;
};

const formatKnown = (value: NonNullable<Value>, verb: string, spec: Spec, depth: number): string => {
  const bad = (text: string | undefined): string => text ?? badVerb(value, verb, spec);
  const integer = integerOf(value);
  if (integer !== undefined) return bad(formatInteger(integer, isUnsigned(typeOf(value)!.kind), verb, spec));
  if (typeof value === 'string') return bad(formatString(value, verb, spec));
  if (typeof value === 'boolean') return bad(formatBool(value, verb, spec));
  if (typeof value === 'number') return bad(formatNumber(value, verb, spec));
  if (value instanceof GoComplex) return bad(formatComplex(value, verb, spec));
  if (value instanceof GoFunction) return pad(address, spec);
  if (value instanceof GoList) {
    if (isBytes(value) && 'sqxX'.includes(verb)) return bad(formatString(bytesText(value), verb, spec));
    if (spec.sharpV && value.isNil) return `${value.type.name}(nil)`;
    return frame(
      value.type,
      value.items.map((item) => formatInner(item, verb, spec, depth + 1)),
      spec,
      '[',
    );
  }
  if (value instanceof GoMap) {
    if (spec.sharpV && value.isNil) return `${value.type.name}(nil)`;
    const items = value
      .sortedKeys()
      .map(
        (key) =>
          `${formatKnown(key, verb, spec, depth + 1)}:${formatInner(value.entries.get(key), verb, spec, depth + 1)}`,
      );
    return frame(value.type, items, spec, 'map[');
  }
  if (value instanceof GoStruct) {
    const text = 'vsxXq'.includes(verb) && !spec.sharpV ? value.toText() : undefined;
    return text === undefined ? formatStruct(value, verb, spec, depth) : bad(formatString(text, verb, spec));
  }
  return '';
};

const badVerb = (value: Value, verb: string, spec: Spec): string =>
  value === null || value === undefined
    ? `%!${verb}(<nil>)`
    : `%!${verb}(${typeName(value)}=${formatKnown(value, 'v', spec, 0)})`;

/** One value by one verb of `fmt`. */
export const formatValue = (value: Value, verb: string, spec: Spec = plainSpec): string => {
  if (value === null || value === undefined) {
    return verb === 'v' || verb === 'T' ? pad('<nil>', spec) : badVerb(value, verb, spec);
  }
  if (verb === 'T') return formatString(typeName(value), 's', spec)!;
  if (verb === 'w') return badVerb(value, verb, spec);
  if (verb === 'p') {
    const hasAddress = ['slice', 'map', 'ptr', 'func'].includes(typeOf(value)!.kind);
    return hasAddress ? pad(address, spec) : badVerb(value, verb, spec);
  }
  return formatKnown(value, verb, spec, 0);
};
