/**
 * The kinds of tests and the files of each: every spec file belongs to exactly one. A kind is a Jest project:
 * `npm run test:file -- --selectProjects integration`. docs/testing.md says what each kind needs.
 */
export const TEST_KINDS = {
  unit: ['src/**/*.spec.ts', 'test/project/**/*.spec.ts'],
  integration: ['test/**/*.integration.spec.ts'],
  contract: ['test/contract/**/*.contract.spec.ts'],
  e2e: ['test/e2e/**/*.e2e.spec.ts'],
  fault: ['test/fault/**/*.e2e.spec.ts', 'test/soak/**/*.e2e.spec.ts'],
};
