import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['dist', 'coverage', 'reports', 'data', '.stryker-tmp', 'test/fixtures']),
  js.configs.recommended,
  {
    // Patterns of the program meet texts of strangers: their time must grow with the length, not with its square.
    files: ['src/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: true }],
    },
  },
  {
    files: ['src/**'],
    // The tables of tests use it for rows.
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'ObjectExpression > SpreadElement > ObjectExpression, ArrayExpression > SpreadElement > ArrayExpression',
          message: 'Write the members themselves: a spread of a literal only saves lines.',
        },
      ],
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',

      // A number reads the same in a text as its string.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Stripping control characters is what such a pattern is for.
      'no-control-regex': 'off',
      // Nest declares some of its option bags as classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Nest's modules are empty classes that carry a decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // `() => void call()` and `() => call()` say the same where nobody looks at the result.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // A parameter that a rest or a destructuring leaves out on purpose starts with an underscore.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Index signatures are read by `['key']` here, so that a declared member stands out from a looked-up one.
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      // jest's asymmetric matchers (`expect.any`) are typed any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      // A test that fails on a missing value says enough.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Stand-ins implement asynchronous ports without awaiting anything.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    // Programs whose output is their purpose: the sandbox, and those that tests start and listen to.
    files: ['src/sandbox/main.ts', 'test/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', URL: 'readonly', fetch: 'readonly' },
    },
  },
);
