export * from './equal.ts';
export * from './sources.ts';
