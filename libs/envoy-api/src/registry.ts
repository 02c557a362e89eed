import { inflateRawSync } from 'node:zlib';
import { packedDescriptors } from '../generated/descriptors.ts';
import { lazy } from './lazy.ts';
import { Schema } from './schema.ts';
import type { FileDescriptor, MessageType } from './schema.ts';

/** The types of proto/, unpacked at first use. */
export const schema = lazy(() => {
  const set = JSON.parse(inflateRawSync(Buffer.from(packedDescriptors, 'base64')).toString()) as {
    readonly file: readonly FileDescriptor[];
  };
  return new Schema(set.file);
});

/** The message type of that full name. Throws where there is none: names in code are checked by the compiler. */
export function messageType(name: string): MessageType {
  const type = schema().message(name);
  if (!type) throw new Error(`message type ${name} is not known`);
  return type;
}

const URL_PREFIX = 'type.googleapis.com/';

/** The type URL of a message's full name. */
export function typeUrl<N extends string>(name: N): `type.googleapis.com/${N}` {
  return `${URL_PREFIX}${name}`;
}

/** The full name in a type URL: what follows its last slash. */
export function typeNameOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** The message type that a type URL names. */
export function typeOfUrl(url: string): MessageType | undefined {
  return schema().message(typeNameOf(url));
}
