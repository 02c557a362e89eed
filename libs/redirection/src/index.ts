export { dryRun, forcedVariant, isRedirected, redirect, type RedirectOptions } from './redirect.ts';
export { commandRunner } from './run-command.ts';
