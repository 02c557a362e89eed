// Tests that change network namespaces, by root, one file at a time.
import base from './jest.config.mjs';

export default {
  ...base,
  testMatch: ['<rootDir>/{apps,libs,tools}/**/*.root.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/out/', '/dist/'],
};
