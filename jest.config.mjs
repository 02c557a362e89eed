// One jest project for the whole workspace; a lib's own tests run with `npm test -- libs/NAME`.
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript', tsx: false, explicitResourceManagement: true }, target: 'es2024' },
        module: { type: 'es6' },
      },
    ],
  },
  testMatch: ['<rootDir>/{apps,libs,tools}/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/out/', '/dist/', '\\.(envoy|helm|root|cluster)\\.test\\.ts$'],
  modulePathIgnorePatterns: ['<rootDir>/out/', '/dist/'],
  maxWorkers: 2,
  // No test is about speed, and a busy machine may be slow.
  testTimeout: 60_000,
};
