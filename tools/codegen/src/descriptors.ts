import protobuf from 'protobufjs';

/** Any JSON object; here always part of a descriptor in protobuf JSON form. */
export type Json = { readonly [key: string]: unknown };

export interface ProtoFile {
  /** Path below the root of the tree, as imports name it. */
  readonly name: string;
  readonly text: string;
}

export interface EnumDescriptor {
  readonly name: string;
  readonly value: readonly { readonly name: string; readonly number: number }[];
}

export interface FieldDescriptor {
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  readonly label: 'LABEL_OPTIONAL' | 'LABEL_REPEATED' | 'LABEL_REQUIRED';
  readonly type: string;
  readonly typeName?: string;
}

export interface MessageDescriptor {
  readonly name: string;
  readonly field?: readonly FieldDescriptor[];
  readonly nestedType?: readonly MessageDescriptor[];
  readonly enumType?: readonly EnumDescriptor[];
  readonly options?: { readonly mapEntry?: boolean };
}

/** google.protobuf.FileDescriptorProto in protobuf JSON form. */
export interface FileDescriptor {
  readonly name: string;
  readonly package?: string;
  readonly messageType?: readonly MessageDescriptor[];
  readonly enumType?: readonly EnumDescriptor[];
}

/** Parses a complete tree of .proto files into file descriptors, validation rules and other options included. */
export function describeFiles(files: readonly ProtoFile[]): readonly FileDescriptor[] {
  const root = new protobuf.Root();
  const parsed = files.map(({ name, text }) => {
    Object.assign(protobuf.parse, { filename: name });
    const result = protobuf.parse(text, root, { keepCase: true });
    return { name, package: result.package, imports: result.imports, syntax: /^syntax = "(\w+)"/m.exec(text)?.[1] };
  });
  root.resolveAll();
  const declared = groupByFile(root);
  return inImportOrder(parsed).map((file) => {
    const own = declared.get(file.name) ?? [];
    const describe = new Describer(root, file.syntax === 'proto2');
    return compact({
      name: file.name,
      package: file.package,
      dependency: file.imports ?? [],
      messageType: own.filter((o) => o instanceof protobuf.Type).map((o) => describe.message(o)),
      enumType: own.filter((o) => o instanceof protobuf.Enum).map((o) => describe.enum(o)),
      service: own.filter((o) => o instanceof protobuf.Service).map((o) => describe.service(o)),
      extension: own.filter((o) => o instanceof protobuf.Field).map((o) => describe.extension(o)),
      syntax: file.syntax,
    }) as unknown as FileDescriptor;
  });
}

/** Imported files before those that import them, as descriptor sets have them. */
function inImportOrder<F extends { readonly name: string; readonly imports: readonly string[] | undefined }>(
  files: readonly F[],
): readonly F[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  const ordered = new Set<F>();
  const visit = (file: F): void => {
    for (const name of file.imports ?? []) {
      const imported = byName.get(name);
      if (!imported) throw new Error(`${file.name} imports ${name}, which doesn't exist`);
      if (!ordered.has(imported)) visit(imported);
    }
    ordered.add(file);
  };
  for (const file of files) visit(file);
  return [...ordered];
}

/** Top-level declarations by the file that holds them. */
function groupByFile(root: protobuf.Root): ReadonlyMap<string, protobuf.ReflectionObject[]> {
  const byFile = new Map<string, protobuf.ReflectionObject[]>();
  const visit = (space: protobuf.NamespaceBase): void => {
    for (const object of space.nestedArray) {
      const isNamespace = object.constructor === protobuf.Namespace;
      if (isNamespace) visit(object as protobuf.Namespace);
      else if (object.filename) byFile.set(object.filename, [...(byFile.get(object.filename) ?? []), object]);
    }
  };
  visit(root);
  return byFile;
}

const typeName = (object: protobuf.ReflectionObject | null): string | undefined => object?.fullName;

function camelCase(name: string): string {
  return name.replace(/_+(\w?)/g, (_, letter: string) => letter.toUpperCase());
}

/** Leaves out members that are undefined or empty lists, as protobuf JSON does. */
function compact(object: Json): Json {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );
}

class Describer {
  readonly #root: protobuf.Root;
  readonly #proto2: boolean;

  constructor(root: protobuf.Root, proto2: boolean) {
    this.#root = root;
    this.#proto2 = proto2;
  }

  message(type: protobuf.Type): Json {
    // Synthetic oneofs of `optional` fields come last, as protoc orders them.
    const oneofs = [...type.oneofsArray].sort((a, b) => Number(isSynthetic(a)) - Number(isSynthetic(b)));
    // protobufjs lists extensions among the fields of the type they extend.
    const fields = type.fieldsArray.filter((f) => !f.declaringField);
    const maps = fields.filter((f) => f instanceof protobuf.MapField);
    return compact({
      name: type.name,
      field: fields.map((f) => this.#field(f, oneofs)),
      nestedType: [
        ...type.nestedArray.filter((o) => o instanceof protobuf.Type).map((o) => this.message(o)),
        ...maps.map((f) => this.#mapEntry(f)),
      ],
      enumType: type.nestedArray.filter((o) => o instanceof protobuf.Enum).map((o) => this.enum(o)),
      extensionRange: type.extensions?.map(([start, end]) => ({ start, end: (end ?? 0) + 1 })),
      oneofDecl: oneofs.map((o) =>
        compact({ name: o.name, options: this.#options(o, 'google.protobuf.OneofOptions') }),
      ),
      reservedRange: (type.reserved ?? [])
        .filter((r) => typeof r !== 'string')
        .map(([start, end]) => ({ start, end: (end ?? 0) + 1 })),
      reservedName: (type.reserved ?? []).filter((r) => typeof r === 'string'),
      options: this.#options(type, 'google.protobuf.MessageOptions'),
    });
  }

  enum(type: protobuf.Enum): Json {
    return compact({
      name: type.name,
      value: Object.entries(type.values).map(([name, number]) => ({ name, number })),
      options: this.#options(type, 'google.protobuf.EnumOptions'),
    });
  }

  service(service: protobuf.Service): Json {
    return compact({
      name: service.name,
      method: service.methodsArray.map((m) =>
        compact({
          name: m.name,
          inputType: typeName(m.resolvedRequestType),
          outputType: typeName(m.resolvedResponseType),
          clientStreaming: m.requestStream || undefined,
          serverStreaming: m.responseStream || undefined,
        }),
      ),
    });
  }

  extension(field: protobuf.Field): Json {
    return { ...this.#field(field, []), extendee: `.${field.extend}` };
  }

  #field(field: protobuf.FieldBase, oneofs: readonly protobuf.OneOf[]): Json {
    const isMap = field instanceof protobuf.MapField;
    const repeated = field.repeated || isMap;
    const declared = field.options?.['json_name'] as string | undefined;
    return compact({
      name: field.name,
      number: field.id,
      label: repeated ? 'LABEL_REPEATED' : 'required' in field && field.required ? 'LABEL_REQUIRED' : 'LABEL_OPTIONAL',
      ...(isMap
        ? { type: 'TYPE_MESSAGE', typeName: `${typeName(field.parent)}.${entryName(field)}` }
        : fieldType(field.type, field.resolvedType)),
      jsonName: declared ?? camelCase(field.name),
      oneofIndex: field.partOf ? oneofs.indexOf(field.partOf) : undefined,
      proto3Optional: (!this.#proto2 && field.partOf && isSynthetic(field.partOf)) || undefined,
      options: this.#options(field, 'google.protobuf.FieldOptions'),
    });
  }

  #mapEntry(field: protobuf.MapField): Json {
    const member = (name: string, number: number, type: Json): Json => ({
      name,
      number,
      label: 'LABEL_OPTIONAL',
      ...type,
      jsonName: name,
    });
    return {
      name: entryName(field),
      field: [
        member('key', 1, fieldType(field.keyType, null)),
        member('value', 2, fieldType(field.type, field.resolvedType)),
      ],
      options: { mapEntry: true },
    };
  }

  /** Options that mean something to us, in the JSON form of their message; extensions are named `[full.name]`. */
  #options(object: protobuf.ReflectionObject, optionsType: string): Json | undefined {
    const result: Record<string, unknown> = {};
    const type = this.#root.lookupType(optionsType);
    const set = (name: string, value: unknown): void => {
      const extension = /^\((.*)\)$/.exec(name)?.[1];
      const field = extension ? this.#root.lookup(extension) : type.fields[name];
      if (!(field instanceof protobuf.Field)) return;
      const json = this.#optionValue(field, value);
      const key = extension ? `[${extension}]` : camelCase(name);
      result[key] = isJson(result[key]) && isJson(json) ? mergeJson(result[key], json) : json;
    };
    const plain = Object.entries(object.options ?? {}).filter(([name]) => !name.startsWith('('));
    for (const [name, value] of plain) set(name, value);
    for (const option of (object.parsedOptions ?? []) as readonly Json[]) {
      for (const [name, value] of Object.entries(option)) if (name.startsWith('(')) set(name, value);
    }
    return Object.keys(result).length > 0 ? result : undefined;
  }

  #optionValue(field: protobuf.FieldBase, value: unknown): unknown {
    if (field.repeated && !Array.isArray(value)) return [this.#optionScalar(field, value)];
    return Array.isArray(value) ? value.map((v) => this.#optionScalar(field, v)) : this.#optionScalar(field, value);
  }

  #optionScalar(field: protobuf.FieldBase, value: unknown): unknown {
    const { resolvedType } = field;
    if (resolvedType instanceof protobuf.Type) {
      const message = (value ?? {}) as Json;
      if (resolvedType.fullName === '.google.protobuf.Duration') return durationJson(message);
      return Object.fromEntries(
        Object.entries(message).map(([name, v]) => {
          const member = resolvedType.fields[name];
          if (!member) throw new Error(`${resolvedType.fullName} has no field ${name}`);
          return [camelCase(name), this.#optionValue(member, v)];
        }),
      );
    }
    return /64$/.test(field.type) ? integer64(value) : value;
  }
}

/** protobufjs reads numbers as doubles; beyond their precision, rules name the largest signed integer only. */
function integer64(value: unknown): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (value === 2 ** 63) return String(2n ** 63n - 1n);
  throw new Error(`${String(value)} cannot be read exactly`);
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mergeJson(a: Json, b: Json): Json {
  const merged: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const old = merged[key];
    merged[key] = isJson(old) && isJson(value) ? mergeJson(old, value) : value;
  }
  return merged;
}

function durationJson({ seconds = 0, nanos = 0 }: { readonly seconds?: unknown; readonly nanos?: unknown }): string {
  const fraction =
    Number(nanos) === 0
      ? ''
      : `.${String(nanos)
          .padStart(9, '0')
          .replace(/(000)+$/, '')}`;
  return `${String(seconds)}${fraction}s`;
}

function fieldType(type: string, resolved: protobuf.ReflectionObject | null): Json {
  if (resolved instanceof protobuf.Enum) return { type: 'TYPE_ENUM', typeName: typeName(resolved) };
  if (resolved) return { type: 'TYPE_MESSAGE', typeName: typeName(resolved) };
  return { type: `TYPE_${type.toUpperCase()}` };
}

function entryName(field: protobuf.FieldBase): string {
  const camel = camelCase(field.name);
  return `${camel.charAt(0).toUpperCase()}${camel.slice(1)}Entry`;
}

function isSynthetic(oneof: protobuf.OneOf): boolean {
  return oneof.fieldsArray.length === 1 && oneof.fieldsArray[0]?.options?.['proto3_optional'] === true;
}
