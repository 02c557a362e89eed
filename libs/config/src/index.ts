export { type AdmissionOptions } from './admission.ts';
export * from './aggregate-source.ts';
export * from './apply-changes.ts';
export * from './config-source.ts';
export * from './equal.ts';
export { FileSource, type FileSourceOptions } from './file/file-source.ts';
export { MemorySource } from './memory-source.ts';
export * from './set-object.ts';
export * from './sources.ts';
