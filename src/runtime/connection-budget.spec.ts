import { describe, expect, it } from '@jest/globals';
import { QUEUE_NAMES } from '../queue/queue-names.js';
import { CONNECTION_BUDGET } from './connection-budget.js';

describe('the database connections of a process', () => {
  it('are at most 24 with the default settings', () => {
    const { work, inbox, queue } = CONNECTION_BUDGET;
    expect(work + inbox + queue).toBeLessThanOrEqual(24);
  });

  it('are enough for every worker to listen while two statements of the queue run', () => {
    expect(CONNECTION_BUDGET.queue).toBeGreaterThanOrEqual(QUEUE_NAMES.length + 2);
  });
});
