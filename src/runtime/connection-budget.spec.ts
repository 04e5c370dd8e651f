import { describe, expect, it } from '@jest/globals';
import { QUEUE_NAMES } from '../queue/queue-names.js';
import { CONNECTION_BUDGET, workConnections } from './connection-budget.js';

describe('the database connections of a process', () => {
  it('are at most 24 with the default settings', () => {
    const { inbox, queue } = CONNECTION_BUDGET;
    expect(workConnections(4) + inbox + queue).toBeLessThanOrEqual(24);
  });

  it('are enough for every worker to listen while two statements of the queue run', () => {
    expect(CONNECTION_BUDGET.queue).toBeGreaterThanOrEqual(QUEUE_NAMES.length + 2);
  });

  it('leave the other stages as many when more runs work at once', () => {
    expect(workConnections(10) - 10).toBe(workConnections(4) - 4);
    expect(workConnections(1)).toBe(workConnections(4));
  });
});
