export { answer, namesKey, WILDCARD } from './answer.ts';
export { generationDiagnostics } from './diagnostics.ts';
export { checkEnvoyMessage } from './envoy-filter/check-message.ts';
export type { EncodedResource, Requirement } from './resource.ts';
export { TYPE_URLS, type TypeUrl } from './type-urls.ts';
