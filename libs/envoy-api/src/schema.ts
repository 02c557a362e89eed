import type { JsonObject } from './json.ts';
import { lazy } from './lazy.ts';

/** Scalar types as descriptors name them, in lower case. */
export type Scalar =
  | 'double'
  | 'float'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'uint64'
  | 'sint32'
  | 'sint64'
  | 'fixed32'
  | 'fixed64'
  | 'sfixed32'
  | 'sfixed64'
  | 'bool'
  | 'string'
  | 'bytes';

/** What one value of a field is. */
export type ValueType =
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  | { readonly kind: 'enum'; readonly enum: () => EnumType }
  | { readonly kind: 'message'; readonly message: () => MessageType };

export interface Field {
  readonly name: string;
  readonly json: string;
  readonly number: number;
  readonly cardinality: 'singular' | 'repeated' | 'map';
  /** Type of the value, of an element, or of a map's values. */
  readonly value: ValueType;
  /** Type of a map's keys. */
  readonly key: Scalar;
  readonly packed: boolean;
  /** Whether a value equal to the default is still a value: messages, oneof members, `optional`, all of proto2. */
  readonly presence: boolean;
  /** Name of the oneof it belongs to. */
  readonly oneof: string | undefined;
  /** validate.FieldRules in protobuf JSON. */
  readonly rules: JsonObject | undefined;
}

export interface Oneof {
  readonly name: string;
  readonly required: boolean;
  readonly fields: readonly Field[];
}

export interface EnumType {
  readonly name: string;
  readonly numbers: ReadonlyMap<string, number>;
  /** Canonical name of a number: the first declared, where several share it. */
  readonly names: ReadonlyMap<number, string>;
}

export interface MessageType {
  readonly name: string;
  /** In the order of their numbers. */
  readonly fields: readonly Field[];
  readonly byJson: ReadonlyMap<string, Field>;
  readonly byName: ReadonlyMap<string, Field>;
  readonly byNumber: ReadonlyMap<number, Field>;
  readonly oneofs: readonly Oneof[];
}

export interface FileDescriptor {
  readonly name: string;
  readonly package?: string;
  readonly dependency?: readonly string[];
  readonly messageType?: readonly MessageDescriptor[];
  readonly enumType?: readonly EnumDescriptor[];
  readonly service?: readonly { readonly name: string; readonly method?: readonly MethodDescriptor[] }[];
  readonly extension?: readonly FieldDescriptor[];
  readonly syntax?: string;
}

export interface MethodDescriptor {
  readonly name: string;
  readonly inputType: string;
  readonly outputType: string;
  readonly clientStreaming?: boolean;
  readonly serverStreaming?: boolean;
}

interface MessageDescriptor {
  readonly name: string;
  readonly field?: readonly FieldDescriptor[];
  readonly nestedType?: readonly MessageDescriptor[];
  readonly enumType?: readonly EnumDescriptor[];
  readonly oneofDecl?: readonly { readonly name: string; readonly options?: JsonObject }[];
  readonly options?: { readonly mapEntry?: boolean };
}

interface EnumDescriptor {
  readonly name: string;
  readonly value: readonly { readonly name: string; readonly number?: number }[];
}

interface FieldDescriptor {
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  readonly label: string;
  readonly type: string;
  readonly typeName?: string;
  readonly extendee?: string;
  readonly oneofIndex?: number;
  readonly proto3Optional?: boolean;
  readonly options?: JsonObject;
}

/** All types of a set of files. Building it only indexes names; each type is linked when it is asked for. */
export class Schema {
  readonly files: ReadonlyMap<string, FileDescriptor>;
  /** The file that declares a message, an enum or a service, by full name. */
  readonly fileOf: ReadonlyMap<string, FileDescriptor>;
  readonly #messages = new Map<string, () => MessageType>();
  readonly #entries = new Map<string, MessageDescriptor>();
  readonly #enums = new Map<string, () => EnumType>();
  readonly #extensions = new Map<string, FieldDescriptor[]>();

  constructor(files: readonly FileDescriptor[]) {
    const fileOf = new Map<string, FileDescriptor>();
    for (const file of files) {
      const prefix = file.package ? `${file.package}.` : '';
      for (const message of file.messageType ?? []) this.#addMessage(prefix, message, file, fileOf);
      for (const type of file.enumType ?? []) this.#addEnum(prefix, type, file, fileOf);
      for (const service of file.service ?? []) fileOf.set(prefix + service.name, file);
      for (const field of file.extension ?? []) {
        const extension = { ...field, jsonName: `[${prefix}${field.name}]` };
        const extendee = (field.extendee ?? '').slice(1);
        this.#extensions.set(extendee, [...(this.#extensions.get(extendee) ?? []), extension]);
      }
    }
    this.files = new Map(files.map((file) => [file.name, file]));
    this.fileOf = fileOf;
  }

  messageNames(): readonly string[] {
    return [...this.#messages.keys()];
  }

  /** The message type of that full name. */
  message(name: string): MessageType | undefined {
    return this.#messages.get(name)?.();
  }

  #addMessage(
    prefix: string,
    descriptor: MessageDescriptor,
    file: FileDescriptor,
    fileOf: Map<string, FileDescriptor>,
  ) {
    const name = prefix + descriptor.name;
    if (descriptor.options?.mapEntry) {
      this.#entries.set(name, descriptor);
      return;
    }
    fileOf.set(name, file);
    this.#messages.set(
      name,
      lazy(() => this.#link(name, descriptor, file.syntax !== 'proto3')),
    );
    for (const nested of descriptor.nestedType ?? []) this.#addMessage(`${name}.`, nested, file, fileOf);
    for (const type of descriptor.enumType ?? []) this.#addEnum(`${name}.`, type, file, fileOf);
  }

  #addEnum(prefix: string, { name, value }: EnumDescriptor, file: FileDescriptor, fileOf: Map<string, FileDescriptor>) {
    const fullName = prefix + name;
    fileOf.set(fullName, file);
    this.#enums.set(
      fullName,
      lazy(() => {
        const members = value.map((v) => [v.name, v.number ?? 0] as const);
        const names = new Map(members.toReversed().map(([n, number]) => [number, n]));
        return { name: fullName, numbers: new Map(members), names };
      }),
    );
  }

  #link(name: string, descriptor: MessageDescriptor, proto2: boolean): MessageType {
    const declared = [...(descriptor.field ?? []), ...(this.#extensions.get(name) ?? [])];
    const oneofs = descriptor.oneofDecl ?? [];
    const fields = declared
      .map((f) => this.#field(f, oneofs[f.oneofIndex ?? -1]?.name, proto2))
      .sort((a, b) => a.number - b.number);
    return {
      name,
      fields,
      byJson: new Map(fields.map((f) => [f.json, f])),
      byName: new Map(fields.map((f) => [f.name, f])),
      byNumber: new Map(fields.map((f) => [f.number, f])),
      oneofs: oneofs
        .map((o) => ({
          name: o.name,
          required: o.options?.['[validate.required]'] === true,
          fields: fields.filter((f) => f.oneof === o.name),
        }))
        .filter((o) => o.fields.length > 0),
    };
  }

  #field(descriptor: FieldDescriptor, oneof: string | undefined, proto2: boolean): Field {
    const { name, jsonName, number, options } = descriptor;
    const repeated = descriptor.label === 'LABEL_REPEATED';
    const entry = this.#entries.get((descriptor.typeName ?? '').slice(1));
    const [key, mapValue] = entry?.field ?? [];
    const value = this.#valueType(mapValue ?? descriptor);
    return {
      name,
      json: jsonName,
      number,
      cardinality: entry ? 'map' : repeated ? 'repeated' : 'singular',
      value,
      key: scalarOf(key?.type ?? 'TYPE_STRING'),
      packed: (options?.['packed'] ?? !proto2) === true && isPackable(value),
      presence: value.kind === 'message' || proto2 || descriptor.oneofIndex !== undefined,
      oneof: descriptor.proto3Optional ? undefined : oneof,
      rules: options?.['[validate.rules]'] as JsonObject | undefined,
    };
  }

  #valueType({ type, typeName = '' }: FieldDescriptor): ValueType {
    const target = typeName.slice(1);
    if (type === 'TYPE_MESSAGE') return { kind: 'message', message: this.#declared(this.#messages, target) };
    if (type === 'TYPE_ENUM') return { kind: 'enum', enum: this.#declared(this.#enums, target) };
    return { kind: 'scalar', scalar: scalarOf(type) };
  }

  #declared<T>(types: ReadonlyMap<string, () => T>, name: string): () => T {
    return () => {
      const type = types.get(name);
      if (!type) throw new Error(`type ${name} is not declared`);
      return type();
    };
  }
}

function scalarOf(type: string): Scalar {
  return type.slice('TYPE_'.length).toLowerCase() as Scalar;
}

function isPackable(value: ValueType): boolean {
  return value.kind === 'enum' || (value.kind === 'scalar' && value.scalar !== 'string' && value.scalar !== 'bytes');
}

const DEFAULTS: Readonly<Record<Scalar, unknown>> = {
  double: 0,
  float: 0,
  int32: 0,
  uint32: 0,
  sint32: 0,
  fixed32: 0,
  sfixed32: 0,
  int64: '0',
  uint64: '0',
  sint64: '0',
  fixed64: '0',
  sfixed64: '0',
  bool: false,
  string: '',
  bytes: '',
};

/** The value that a proto3 field without presence has when it isn't written. */
export function scalarDefault(scalar: Scalar): unknown {
  return DEFAULTS[scalar];
}

/** The value of a field without presence that isn't written; messages have none. */
export function defaultOf(value: ValueType): unknown {
  if (value.kind === 'message') return undefined;
  return value.kind === 'enum' ? (value.enum().names.get(0) ?? 0) : scalarDefault(value.scalar);
}
