export * from './diagnostic.ts';
export * from './kinds/index.ts';
export * from './mesh/index.ts';
export * from './parse/index.ts';
