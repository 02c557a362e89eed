export * from './duration.ts';
export { type FieldPath, formatPath } from './field-path.ts';
export * from './json.ts';
export {
  type Of,
  type OneOf,
  type Schema,
  type SchemaFacts,
  type SchemaType,
  type Shape,
  schemaFacts,
} from './message.ts';
export { nearest } from './nearest.ts';
export { type ParsedConfig, parseConfig } from './parse-config.ts';
export type { Where } from './reporter.ts';
export * from './yaml-documents.ts';
