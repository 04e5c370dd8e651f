import { describe, expect, it } from '@jest/globals';
import { NO_COUNTS } from '../domain/run-counts.js';
import type { PresentedRun } from '../operations/present-run.js';
import { runAccount, runFailure } from './run-summary.js';

const RUN: PresentedRun = {
  ...{ id: 'r1', store: 'main', status: 'failed', kind: 'full', requestedBy: null, trigger: 'command' },
  ...{
    counts: NO_COUNTS,
    startedAt: null,
    finishedAt: null,
    error: null,
    stoppedByLimit: false,
    notes: [],
    steps: [],
  },
  requests: { catalog: 0, store: 0 },
};
const STOPPED = { ...RUN, error: 'stopped by limits.maxOrphanedShare', stoppedByLimit: true };

describe('the account of a run', () => {
  it('names the error of a failed run', () => {
    expect(runAccount({ ...RUN, error: 'the store is away' })).toContain('\n  the store is away');
  });

  it('names the error of a partial run once', () => {
    const account = runAccount({ ...RUN, status: 'partial', error: '2 products failed' });
    expect(account.match(/2 products failed/g)).toHaveLength(1);
  });

  it('has the remark of a cancelled run, which has no error', () => {
    expect(runAccount({ ...RUN, notes: ['cancelled by admin'] })).toMatch(/\n {2}cancelled by admin$/);
  });
});

describe('the reason of a run that a limit stopped', () => {
  it.each([
    ['full', 'run store-sync sync --store main --full --force'],
    ['incremental', 'run store-sync sync --store main --force'],
  ] as const)('names the command that goes on with a %s run', (kind, command) => {
    expect(runFailure({ ...STOPPED, kind })).toBe(
      `stopped by limits.maxOrphanedShare; if the store is right, ${command}`,
    );
  });

  it('is the only one that names a command', () => {
    expect(runFailure({ ...STOPPED, stoppedByLimit: false })).toBe('stopped by limits.maxOrphanedShare');
  });
});
