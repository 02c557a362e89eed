import type { ServiceMethods } from './service.ts';
import { GrpcError, Status } from './status.ts';
import { readFields, writeFields, type Field, type Fields } from './wire.ts';

/** Both versions have the same messages; older clients only know the second. */
export const reflectionServiceNames = [
  'grpc.reflection.v1.ServerReflection',
  'grpc.reflection.v1alpha.ServerReflection',
] as const;

/** Where reflection finds what it tells. Files are encoded `google.protobuf.FileDescriptorProto`s. */
export interface Descriptors {
  /** The file that declares a message, enum, service, method or field, by its full name. */
  fileBySymbol(name: string): Uint8Array | undefined;
  /** The file of this path, as imports name it. */
  fileByName(name: string): Uint8Array | undefined;
  /** The full names of the services that are served. */
  services(): readonly string[];
}

/** The answer to one kind of request: a field of `ServerReflectionResponse`. */
type Answer = (argument: string, descriptors: Descriptors) => Field;

const fileResponse = (file: Uint8Array | undefined, what: string): Field => {
  if (file === undefined) throw new GrpcError(Status.NOT_FOUND, `there is no ${what}`);
  return [4, writeFields([[1, file]])];
};

const noExtensions: Answer = () => {
  throw new GrpcError(Status.UNIMPLEMENTED, 'extensions of proto2 are not served');
};

/** By field number of `ServerReflectionRequest`. */
const answers: ReadonlyMap<number, Answer> = new Map<number, Answer>([
  [3, (name, descriptors) => fileResponse(descriptors.fileByName(name), `file ${name}`)],
  [4, (name, descriptors) => fileResponse(descriptors.fileBySymbol(name), `symbol ${name}`)],
  [5, noExtensions],
  [6, noExtensions],
  [
    7,
    (_, descriptors) => {
      const services = descriptors.services().map((name): Field => [1, writeFields([[1, name]])]);
      return [6, writeFields(services)];
    },
  ],
]);

/**
 * Server reflection, to be added to a server under each of `reflectionServiceNames`. A file is answered alone; clients ask
 * for those that it imports.
 */
export function reflectionMethods(descriptors: Descriptors): ServiceMethods {
  return {
    ServerReflectionInfo: {
      kind: 'bidi',
      handle: (stream) => {
        stream.onDrain(() => stream.resume());
        stream.receive((request) => {
          const fields = readFields(request);
          const answer = answerOrError(fields, descriptors);
          const more = stream.write(writeFields([[1, fields.text(1) ?? ''], [2, request], answer]));
          if (!more) stream.pause();
        });
      },
    },
  };
}

function answerOrError(request: Fields, descriptors: Descriptors): Field {
  try {
    for (const [number, answer] of answers) {
      if (request.has(number)) return answer(request.text(number) ?? '', descriptors);
    }
    throw new GrpcError(Status.INVALID_ARGUMENT, 'the request asks for nothing');
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    return [
      7,
      writeFields([
        [1, error.code],
        [2, error.message],
      ]),
    ];
  }
}
