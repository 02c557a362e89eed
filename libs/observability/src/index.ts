export { type BuildInfo, buildInfo, versionFields, versionLine } from './version.ts';
