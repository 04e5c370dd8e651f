import { readFileSync } from 'node:fs';
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const { optionalDependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

const SPREAD_OF_LITERAL = {
  selector:
    'ObjectExpression > SpreadElement > ObjectExpression, ArrayExpression > SpreadElement > ArrayExpression',
  message: 'Write the members themselves: a spread of a literal only saves lines.',
};

const SECRET = '/(token|secret|password|signature|digest|hmac|mac)$/i';
const COMPARED_SECRET = {
  selector:
    'BinaryExpression[operator=/^[!=]==?$/]' +
    `:matches([left.name=${SECRET}], [left.property.name=${SECRET}], [right.name=${SECRET}], [right.property.name=${SECRET}])` +
    ':not([left.type="Literal"], [right.type="Literal"], [right.type="Identifier"][right.name="undefined"])',
  message: 'Compare what a request brings with a secret in constant time (timingSafeEqual).',
};

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
    rules: { 'no-restricted-syntax': ['error', SPREAD_OF_LITERAL] },
  },
  {
    // The production image leaves the optional packages out, with the areas that need them.
    files: ['src/**'],
    ignores: ['src/sandbox/**', 'src/cli/demo/**', 'src/embedded-postgres/**', '**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: Object.keys(optionalDependencies).flatMap((name) => [name, `${name}/*`]),
              message: 'An optional package is for the demo, the sandbox and the embedded PostgreSQL alone.',
            },
          ],
        },
      ],
    },
  },
  {
    // Here secrets meet what a request brings.
    files: ['src/operations/**', 'src/webhooks/**', 'src/**/*webhook-signature.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', SPREAD_OF_LITERAL, COMPARED_SECRET] },
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
    // Programs whose output is their purpose: tests start them and listen to them.
    files: ['test/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
);
