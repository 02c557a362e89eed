export { crdFile } from './crd-file.ts';
export { type CustomResourceDefinition, type DefinitionVersion, customResourceDefinitions } from './definition.ts';
export type { OpenApi } from './openapi.ts';
