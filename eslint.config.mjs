import js from '@eslint/js';
import { createProjectGraphAsync } from '@nx/devkit';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

// The boundary rule reads the project graph that Nx has cached, and does nothing where there is none: so make it now.
await createProjectGraphAsync();

/**
 * Imports go downwards: a project may depend on every lower layer, and within its own layer only on what is tagged as
 * open to it (`open-to:layer:N` in the package.json of the library that opens itself).
 */
const below = (layer) => Array.from({ length: layer - 1 }, (_, index) => `layer:${index + 1}`);
const allowedTargets = {
  1: ['open-to:layer:1'],
  2: [...below(2), 'open-to:layer:2'],
  3: [...below(3), 'open-to:layer:3'],
  4: [...below(4), 'open-to:layer:4'],
  5: [...below(5), 'open-to:layer:5'],
  // The xDS protocol knows no Istio kind: of the layers between it takes only what opens itself to it (security).
  6: ['layer:1', 'open-to:layer:6'],
  7: [...below(7), 'open-to:layer:7'],
  8: below(8),
};

const boundaries = (allow) => [
  'error',
  {
    allow,
    banTransitiveDependencies: true,
    // A library that one place loads lazily may be imported statically elsewhere.
    checkDynamicDependenciesExceptions: ['.*'],
    depConstraints: Object.entries(allowedTargets).map(([layer, tags]) => ({
      sourceTag: `layer:${layer}`,
      onlyDependOnLibsWithTags: tags,
    })),
  },
];

export default tseslint.config(
  { ignores: ['**/generated/', '**/dist/', 'out/', '.nx/', '.cache/', 'coverage/', '**/fixtures/', '**/testdata/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  ...tseslint.configs.strict,
  {
    files: ['**/*.ts', '**/*.mjs'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries([]),
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      // The type check sees it, in JavaScript too.
      'no-undef': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
        { selector: 'TSEnumDeclaration', message: 'Use a union of string literals.' },
      ],
      'prefer-const': 'error',
      // With `noUncheckedIndexedAccess`, `list[index]!` is how code says that the index is known to be in range.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Decoded messages are plain objects keyed by field.
      '@typescript-eslint/no-dynamic-delete': 'off',
    },
  },
  {
    // Tools drive the apps in process; nothing else imports an app.
    files: ['tools/**'],
    rules: {
      '@nx/enforce-module-boundaries': boundaries(['@kedge/pilot-discovery', '@kedge/pilot-agent', '@kedge/istioctl']),
      'no-console': 'off',
    },
  },
  {
    // The few rules that need types, for what would otherwise fail silently in a server.
    files: ['**/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  { files: ['*.config.mjs', '*.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
  prettier,
);
