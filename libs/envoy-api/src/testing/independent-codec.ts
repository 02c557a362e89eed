import { createFileRegistry, fromBinary, toJson } from '@bufbuild/protobuf';
import type { DescMessage, JsonValue } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { encode } from '../index.ts';
import type { Messages } from '../index.ts';
import { schema } from '../registry.ts';

/** Decodes with another protobuf library, which knows the types from descriptors that we encoded. */
export class IndependentCodec {
  readonly #registry: ReturnType<typeof createFileRegistry>;

  constructor() {
    const file = [...schema().files.values()] as Messages['google.protobuf.FileDescriptorSet']['file'];
    const set = encode('google.protobuf.FileDescriptorSet', { file });
    this.#registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, set));
  }

  message(name: string): DescMessage {
    const message = this.#registry.getMessage(name);
    if (!message) throw new Error(`${name} is not in the descriptors`);
    return message;
  }

  toJson(name: string, bytes: Uint8Array): JsonValue {
    const message = this.message(name);
    return toJson(message, fromBinary(message, bytes), { registry: this.#registry }) as JsonValue;
  }
}
