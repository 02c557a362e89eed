export { insertPlugin, type InsertResult, type JsonObject, printConfig } from './network-config.ts';
export { asList, type ConfigPlan, type InstallOptions, planConfig } from './config-plan.ts';
export { type PodFacts, podRedirection, type PodRedirectionResult } from './pod-redirection.ts';
