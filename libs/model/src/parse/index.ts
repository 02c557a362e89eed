export * from './duration.ts';
export * from './json.ts';
export { type Of, type Schema, type SchemaFacts, type Shape, schemaFacts } from './message.ts';
