import swcOptions from './test/support/swc-options.mjs';
import { TEST_KINDS } from './test/support/test-kinds.mjs';

/** What the tests of every kind have in common. */
const common = {
  roots: ['<rootDir>/src', '<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  // Sources import each other as './x.js', as Node wants it; on disk they are .ts.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', swcOptions],
  },
};

/** Test files are loaded by Node's own loader, each module once per worker: test/support/jest-native/runtime.mjs. */
const native = {
  testEnvironment: '<rootDir>/test/support/jest-native/environment.mjs',
  runtime: '<rootDir>/test/support/jest-native/runtime.mjs',
};

/** The directory of the run, and what removes it with all servers of the run. Some unit tests listen on ports, which the run hands out. */
const servers = {
  globalSetup: '<rootDir>/test/support/jest-global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/jest-global-teardown.mjs',
};

/** @type {import('jest').Config} */
export default {
  projects: Object.entries(TEST_KINDS).map(([kind, files]) => ({
    ...common,
    ...native,
    ...servers,
    displayName: kind,
    testMatch: files.map((pattern) => `<rootDir>/${pattern}`),
  })),
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // More than the two cores of the gate: tests wait for timers, databases and other processes a good part of their time.
  maxWorkers: 3,
  // Jest reads these settings here only, not in a project. No test is about time: the timeout ends what hangs.
  testTimeout: 300_000,
  // A worker exits at once, but to free a large heap may take more than the half second after which Jest says that tests leak.
  workerGracefulExitTimeout: 10_000,
};
