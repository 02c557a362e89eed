import { encodeMessage } from './codec/encode.ts';
import { schema } from './registry.ts';
import type { FileDescriptor } from './schema.ts';

/** A method of a gRPC service. */
export interface MethodInfo {
  readonly name: string;
  /** Full names of the messages. */
  readonly input: string;
  readonly output: string;
  readonly clientStreaming: boolean;
  readonly serverStreaming: boolean;
}

export interface ServiceInfo {
  /** Full name, as it stands in the path of a call. */
  readonly name: string;
  readonly methods: readonly MethodInfo[];
}

/** Every gRPC service of the tree, by name. */
export function listServices(): readonly ServiceInfo[] {
  const services = [...schema().files.values()].flatMap((file) =>
    (file.service ?? []).map((service) => ({
      name: file.package ? `${file.package}.${service.name}` : service.name,
      methods: (service.method ?? []).map((method) => ({
        name: method.name,
        input: method.inputType.slice(1),
        output: method.outputType.slice(1),
        clientStreaming: method.clientStreaming ?? false,
        serverStreaming: method.serverStreaming ?? false,
      })),
    })),
  );
  return services.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Encoded google.protobuf.FileDescriptorProtos for a file (`envoy/config/core/v3/base.proto`) or for the file that declares
 * a message, enum, service or method: that file first, then those it imports, directly or not. Undefined where unknown.
 */
export function fileDescriptorsFor(symbolOrFile: string): readonly Uint8Array[] | undefined {
  const file = schema().files.get(symbolOrFile) ?? declaringFile(symbolOrFile);
  return file && [...withImports(file)].map((f) => encodeMessage('google.protobuf.FileDescriptorProto', f));
}

/** The file of a symbol, or of the declaration that a field, method or enum value belongs to. */
function declaringFile(symbol: string): FileDescriptor | undefined {
  const { fileOf } = schema();
  return fileOf.get(symbol) ?? fileOf.get(symbol.slice(0, symbol.lastIndexOf('.')));
}

function withImports(file: FileDescriptor): ReadonlySet<FileDescriptor> {
  const seen = new Set<FileDescriptor>();
  const visit = (next: FileDescriptor | undefined): void => {
    if (!next || seen.has(next)) return;
    seen.add(next);
    for (const name of next.dependency ?? []) visit(schema().files.get(name));
  };
  visit(file);
  return seen;
}
