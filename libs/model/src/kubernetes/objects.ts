import { type Of, map, message, required } from '../parse/message.ts';
import { bool, bytes, string } from '../parse/scalars.ts';

/** Kinds of which nothing but metadata is read. */
export const Empty = message({});
export type Empty = Of<typeof Empty>;

/** `data` is base64, `stringData` plain text that the API server would have merged into it. */
export const Secret = message({ type: string, data: map(bytes), stringData: map(string), immutable: bool });
export type Secret = Of<typeof Secret>;

export const ConfigMap = message({ data: map(string), binaryData: map(bytes) });
export type ConfigMap = Of<typeof ConfigMap>;

export const IngressClassSpec = message({ controller: required(string, '') });
export type IngressClassSpec = Of<typeof IngressClassSpec>;
