// Tests with real Helms ($HELM_BIN), which render charts in processes of their own.
import base from './jest.config.mjs';

export default {
  ...base,
  testMatch: ['<rootDir>/{apps,libs,tools}/**/*.helm.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/out/', '/dist/'],
};
