import { afterEach, expect, it, jest } from '@jest/globals';
import type { BulkOperations } from '../operations/bulk-changes.js';
import type { BulkWorker } from '../write-back/bulk-worker.js';
import type { WriteBackWriter } from '../write-back/writer.js';
import { BulkFollower } from './bulk-follower.js';

afterEach(() => {
  jest.restoreAllMocks();
});

it.each([
  [
    'queued',
    null,
    'interrupted: a daemon continues bulk change b1; to stop it, cancel it on the dashboard under Bulk changes',
  ],
  [
    'queued',
    'the store is away',
    'the store is away: a daemon continues bulk change b1; to stop it, cancel it on the dashboard under Bulk changes',
  ],
  ['cancelled', null, 'bulk change b1 is cancelled'],
  ['failed', 'it never ended', 'bulk change b1 is failed: it never ended'],
])('says of a bulk change that is %s, for the reason %s, what becomes of it', async (state, reason, said) => {
  const counts = { done: 0, refused: 0, leftEdited: 0, leftGated: 0, matching: 1 };
  const change = { id: 'b1', action: 'revert', dryRun: false, state, reason, ...counts };
  const operations = {
    count: () => Promise.resolve({ count: 1, until: new Date() }),
    request: () => Promise.resolve({ id: 'b1' }),
    show: () => Promise.resolve(change),
  };
  const follower = new BulkFollower(
    operations as unknown as BulkOperations,
    { work: () => Promise.resolve() } as unknown as BulkWorker,
    {} as WriteBackWriter,
  );
  const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const request = {
    ...({ action: 'revert', filter: {}, dryRun: false } as const),
    ...{ overwriteEdits: false, passGates: false },
  };
  const options = { json: false, yes: true, signal: AbortSignal.abort() };
  expect(await follower.run(request, options)).toBe(1);
  expect(stderr.mock.calls.flat()).toEqual([`store-sync: ${said}\n`]);
});
