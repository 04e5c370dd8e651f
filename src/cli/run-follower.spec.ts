import { expect, it } from '@jest/globals';
import { NO_COUNTS } from '../domain/run-counts.js';
import type { PresentedRun } from '../operations/present-run.js';
import { RunFollower } from './run-follower.js';

const RUN: PresentedRun = {
  ...{ id: 'r1', store: 'main', status: 'running', kind: 'full', requestedBy: null, trigger: 'command' },
  ...{ startedAt: null, finishedAt: null, error: null, stoppedByLimit: false, notes: [], steps: [] },
  ...{ counts: NO_COUNTS, requests: { catalog: 0, store: 0 } },
};

it('says that an interrupted run goes on later, also while another process works it', async () => {
  const stop = new AbortController();
  const shown = () => Promise.reject(new Error('unused'));
  const follower = new RunFollower(
    { work: () => Promise.resolve(null) },
    { show: () => Promise.resolve(RUN), itemPage: shown },
  );
  setTimeout(() => stop.abort(), 5);
  await expect(follower.toEnd('r1', stop.signal)).rejects.toThrow(
    'interrupted: the next start or sync resumes run r1',
  );
});
