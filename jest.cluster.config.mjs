// Tests in a Kubernetes cluster ($CLUSTER_DIR), one file at a time.
import base from './jest.config.mjs';

export default {
  ...base,
  testMatch: ['<rootDir>/{apps,libs,tools}/**/*.cluster.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/out/', '/dist/'],
  testTimeout: 240_000,
};
