/** Kinds as Go's `reflect` names them. */
export type Kind =
  | 'invalid'
  | 'bool'
  | IntKind
  | 'float64'
  | 'complex128'
  | 'string'
  | 'slice'
  | 'map'
  | 'struct'
  | 'ptr'
  | 'func'
  | 'interface';

export type IntKind = SignedKind | UnsignedKind;
type SignedKind = 'int' | 'int8' | 'int16' | 'int32' | 'int64';
type UnsignedKind = 'uint' | 'uint8' | 'uint16' | 'uint32' | 'uint64' | 'uintptr';

/** A Go type, as far as templates can tell types apart. */
export interface GoType {
  /** As `%T` prints it. */
  readonly name: string;
  readonly kind: Kind;
  /** Of lists and maps. */
  readonly elem?: GoType;
  /** What a named type is made of: it may stand where that is asked for. */
  readonly underlying?: GoType;
  /** Whether `==` of two values means something. */
  readonly comparable: boolean;
}

const interned = new Map<string, GoType>();

const intern = (type: Omit<GoType, 'comparable'> & { readonly comparable?: boolean }): GoType => {
  const known = interned.get(type.name);
  if (known !== undefined) return known;
  const made = { comparable: !['slice', 'map', 'func'].includes(type.kind), ...type };
  interned.set(type.name, made);
  return made;
};

const basic = (kind: Kind): GoType => intern({ name: kind, kind });

export const listOf = (elem: GoType): GoType => intern({ name: `[]${elem.name}`, kind: 'slice', elem });

/** Keys are always strings. */
export const mapOf = (elem: GoType): GoType => intern({ name: `map[string]${elem.name}`, kind: 'map', elem });

export const funcType = (name: string): GoType => intern({ name, kind: 'func' });

/** A type with a name of its own, e.g. a struct. */
export const namedType = (name: string, kind: Kind, underlying?: GoType): GoType =>
  intern({ name, kind, ...(underlying && { underlying, elem: underlying.elem }) });

const anyType = intern({ name: 'interface {}', kind: 'interface' });
const stringType = basic('string');

export const types = {
  any: anyType,
  bool: basic('bool'),
  int: basic('int'),
  int64: basic('int64'),
  uint32: basic('uint32'),
  uint64: basic('uint64'),
  byte: basic('uint8'),
  float64: basic('float64'),
  complex128: basic('complex128'),
  string: stringType,
  anyList: listOf(anyType),
  stringList: listOf(stringType),
  intList: listOf(basic('int')),
  bytes: listOf(basic('uint8')),
  anyMap: mapOf(anyType),
  stringMap: mapOf(stringType),
  /** What functions take that look at values themselves, as the comparisons do. */
  reflectValue: intern({ name: 'reflect.Value', kind: 'struct' }),
} as const;

export const intType = (kind: IntKind): GoType => basic(kind);

export const isSigned = (kind: Kind): kind is SignedKind =>
  kind.startsWith('int') && kind !== 'interface' && kind !== 'invalid';
export const isUnsigned = (kind: Kind): kind is UnsignedKind => kind.startsWith('uint');

/** Whether a value of a type may stand where `target` is asked for. */
export const isAssignable = (type: GoType, target: GoType): boolean =>
  type === target || target.kind === 'interface' || (type.underlying !== undefined && type.underlying === target);

/** Whether nil may stand where the type is asked for. */
export const canBeNil = (type: GoType): boolean =>
  ['interface', 'map', 'ptr', 'slice', 'func'].includes(type.kind) || type === types.reflectValue;
