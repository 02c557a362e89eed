export { type CheckEnvoyMessage, type EnvoyMessageIssue, PATCHED_MESSAGE } from './envoy-filter.ts';
export { type ValidationOptions, validateConfig } from './validate-config.ts';
