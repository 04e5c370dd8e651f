import swcOptions from './test/support/swc-options.mjs';

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/jest-global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/jest-global-teardown.mjs',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  // Sources import each other as './x.js', as Node wants it; on disk they are .ts.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', swcOptions],
  },
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  maxWorkers: 2,
  // No test is about time, and machines differ: only what hangs is ended.
  testTimeout: 300_000,
};
