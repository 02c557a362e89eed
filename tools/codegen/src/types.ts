import type { EnumDescriptor, FieldDescriptor, FileDescriptor, MessageDescriptor } from './descriptors.ts';

/** Messages whose protobuf JSON form is not an object of their fields. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  '.google.protobuf.Any': 'Any',
  '.google.protobuf.BoolValue': 'boolean',
  '.google.protobuf.BytesValue': 'string',
  '.google.protobuf.DoubleValue': 'number',
  '.google.protobuf.Duration': 'string',
  '.google.protobuf.FieldMask': 'string',
  '.google.protobuf.FloatValue': 'number',
  '.google.protobuf.Int32Value': 'number',
  '.google.protobuf.Int64Value': 'string',
  '.google.protobuf.ListValue': 'readonly JsonValue[]',
  '.google.protobuf.StringValue': 'string',
  '.google.protobuf.Struct': 'JsonObject',
  '.google.protobuf.Timestamp': 'string',
  '.google.protobuf.UInt32Value': 'number',
  '.google.protobuf.UInt64Value': 'string',
  '.google.protobuf.Value': 'JsonValue',
  '.google.protobuf.NullValue': 'null',
};

const SCALARS: Readonly<Record<string, string>> = {
  TYPE_BOOL: 'boolean',
  TYPE_STRING: 'string',
  TYPE_BYTES: 'string',
  TYPE_DOUBLE: 'number',
  TYPE_FLOAT: 'number',
  TYPE_INT32: 'number',
  TYPE_UINT32: 'number',
  TYPE_SINT32: 'number',
  TYPE_FIXED32: 'number',
  TYPE_SFIXED32: 'number',
  TYPE_INT64: 'string',
  TYPE_UINT64: 'string',
  TYPE_SINT64: 'string',
  TYPE_FIXED64: 'string',
  TYPE_SFIXED64: 'string',
};

interface Declared {
  /** Package, or '_' for none: the name of the module that declares it. */
  readonly module: string;
  /** Name in that module; nested messages are `Outer_Inner`. */
  readonly name: string;
  readonly mapEntry?: readonly FieldDescriptor[];
}

/** TypeScript modules by file name: one for each package, and `messages.ts` which maps full names to types. */
export function typeModules(files: readonly FileDescriptor[]): ReadonlyMap<string, string> {
  const declared = new Map<string, Declared>();
  for (const file of files) {
    for (const { fullName, declaration, message } of declarations(file)) {
      const mapEntry = message?.options?.mapEntry ? message.field : undefined;
      declared.set(fullName, { module: file.package ?? '_', name: declaration, mapEntry });
    }
  }
  const modules = new Map<string, ModuleWriter>();
  const messages: string[] = [];
  for (const file of files) {
    const module = file.package ?? '_';
    const writer = modules.get(module) ?? new ModuleWriter(module, declared);
    modules.set(module, writer);
    for (const { fullName, declaration, enumeration, message } of declarations(file)) {
      if (enumeration && !WELL_KNOWN[fullName]) writer.enum(declaration, enumeration);
      if (!message || message.options?.mapEntry) continue;
      if (!WELL_KNOWN[fullName]) writer.message(declaration, message);
      messages.push(`  '${fullName.slice(1)}': ${WELL_KNOWN[fullName] ?? `${alias(module)}.${declaration}`};`);
    }
  }
  const sources = new Map([...modules].map(([module, writer]) => [`${module}.ts`, writer.text()]));
  const shapes = ['export interface Messages {', ...messages.sort(), '}', ''].join('\n');
  const used = [...modules.keys()].filter((module) => shapes.includes(`: ${alias(module)}.`));
  sources.set(
    'messages.ts',
    [
      ...jsonImport(shapes),
      ...used.sort().map(importOf),
      '',
      '/** The protobuf JSON shape of every message, by full name. */',
      shapes,
    ].join('\n'),
  );
  return sources;
}

interface Declaration {
  readonly fullName: string;
  readonly declaration: string;
  readonly enumeration?: EnumDescriptor;
  readonly message?: MessageDescriptor;
}

function* declarations(file: FileDescriptor): Generator<Declaration> {
  const prefix = file.package ? `.${file.package}` : '';
  function* visit(
    scope: string,
    outer: string,
    at: Pick<FileDescriptor, 'messageType' | 'enumType'>,
  ): Generator<Declaration> {
    for (const enumeration of at.enumType ?? []) {
      yield { fullName: `${scope}.${enumeration.name}`, declaration: outer + enumeration.name, enumeration };
    }
    for (const message of at.messageType ?? []) {
      yield { fullName: `${scope}.${message.name}`, declaration: outer + message.name, message };
      yield* visit(`${scope}.${message.name}`, `${outer}${message.name}_`, {
        messageType: message.nestedType,
        enumType: message.enumType,
      });
    }
  }
  yield* visit(prefix, '', file);
}

function alias(module: string): string {
  return module.replaceAll('.', '_');
}

function importOf(module: string): string {
  return `import type * as ${alias(module)} from './${module}.ts';`;
}

/** The import of those hand-written JSON types that a module's body mentions. */
function jsonImport(body: string): readonly string[] {
  const used = ['Any', 'JsonObject', 'JsonValue'].filter((name) => new RegExp(`[ (]${name}[;)} \\[]`).test(body));
  return used.length > 0 ? [`import type { ${used.join(', ')} } from '../../src/json.ts';`] : [];
}

class ModuleWriter {
  readonly #module: string;
  readonly #declared: ReadonlyMap<string, Declared>;
  readonly #imports = new Set<string>();
  readonly #lines: string[] = [];

  constructor(module: string, declared: ReadonlyMap<string, Declared>) {
    this.#module = module;
    this.#declared = declared;
  }

  enum(name: string, { value }: EnumDescriptor): void {
    const names = value.map((v) => `'${v.name}'`).join(' | ');
    this.#lines.push(`export type ${name} = ${names} | number;`, '');
  }

  message(name: string, { field = [] }: MessageDescriptor): void {
    const members = field.map((f) => `  readonly ${propertyName(f.jsonName)}?: ${this.#fieldType(f)};`);
    this.#lines.push(`export interface ${name} {`, ...members, '}', '');
  }

  text(): string {
    const imports = [...this.#imports].sort().map((module) => importOf(module));
    const body = this.#lines.join('\n');
    return [...jsonImport(body), ...imports, '', body].join('\n');
  }

  #fieldType(field: FieldDescriptor): string {
    const [, value] = this.#declared.get(field.typeName ?? '')?.mapEntry ?? [];
    if (value) return `{ readonly [key: string]: ${this.#valueType(value)} }`;
    const type = this.#valueType(field);
    return field.label === 'LABEL_REPEATED' ? `readonly (${type})[]` : type;
  }

  #valueType({ type, typeName }: FieldDescriptor): string {
    if (!typeName) return SCALARS[type] ?? 'never';
    const wellKnown = WELL_KNOWN[typeName];
    if (wellKnown) return wellKnown;
    const target = this.#declared.get(typeName);
    if (!target) throw new Error(`${typeName} is not declared`);
    if (target.module === this.#module) return target.name;
    this.#imports.add(target.module);
    return `${alias(target.module)}.${target.name}`;
  }
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}
