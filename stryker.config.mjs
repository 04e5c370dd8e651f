import jestConfig from './jest.config.mjs';

const unit = jestConfig.projects.find(({ displayName }) => displayName === 'unit');

const RULES = [
  'src/catalog/webhook-signature',
  'src/webhooks/dedupe-key',
  'src/domain/written-content',
  'src/planner/plan-write-back',
  'src/domain/row-states',
  'src/domain/error-policy',
  'src/domain/owed',
  'src/planner/identity',
  'src/planner/identifier-refusals',
  'src/planner/creation-progress',
];

/** Specs of several rules together, which are named after none of their files. */
const FURTHER_SPECS = [
  'src/planner/translations',
  'src/planner/generated-parts',
  'src/planner/ten-nights',
  'src/persistence/state-changes',
];

/**
 * Mutation tests of the rules that keep a merchant's text safe: `npm run mutation`. Only these files are changed, and only
 * their own specs run against each change; a share of killed mutants below `break` fails the command.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: RULES.map((file) => `${file}.ts`),
  thresholds: { high: 95, low: 92, break: 90 },
  testRunner: 'jest',
  // Jest loads ES modules by Node's own loader, which is still behind this flag.
  testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings'],
  jest: {
    configFile: 'jest.config.mjs',
    config: {
      ...unit,
      // Jest's own loader, which loads a module again: otherwise no mutant of module scope would be tried.
      testEnvironment: 'node',
      runtime: undefined,
      projects: [],
      // It requires an ES module, which this loader allows only before another file imports that module.
      setupFiles: ['sanitize-html'],
      // Not by `testFiles`, which leaves a mutant of module scope without any test at all.
      testMatch: [...RULES, ...FURTHER_SPECS].map((file) => `<rootDir>/${file}*.spec.ts`),
    },
    enableFindRelatedTests: true,
  },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  ignorePatterns: ['data', 'dist', 'reports', 'test/fixtures'],
  reporters: ['clear-text', 'html'],
  clearTextReporter: { reportTests: false },
  htmlReporter: { fileName: 'reports/mutation/index.html' },
  packageManager: 'npm',
};
