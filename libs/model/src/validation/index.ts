export { isIpAddress } from './address.ts';
export { celProblem } from './cel-syntax.ts';
export { type CheckEnvoyMessage, type EnvoyMessageIssue, PATCHED_MESSAGE } from './envoy-filter.ts';
export { isCipherSuite } from './server-tls.ts';
export { type ValidationOptions, validateConfig } from './validate-config.ts';
export { isPrime } from './numbers.ts';
export { proxyRegexProblem, regexRewriteProblem } from './proxy-regex.ts';
export { matchesRegex, regexProblem } from './regex.ts';
