// Tests with a real Envoy ($ENVOY_BIN), one file at a time: each starts processes and binds ports.
import base from './jest.config.mjs';

export default {
  ...base,
  testMatch: ['<rootDir>/{apps,libs,tools}/**/*.envoy.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/out/', '/dist/'],
};
