export { type CheckEnvoyMessage, type EnvoyMessageIssue, PATCHED_MESSAGE } from './envoy-filter.ts';
export { isCipherSuite } from './server-tls.ts';
export { type ValidationOptions, validateConfig } from './validate-config.ts';
export { matchesRegex, regexProblem } from './regex.ts';
