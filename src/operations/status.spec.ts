import { describe, expect, it } from '@jest/globals';
import { presentOwed } from './status.js';

describe('the owed products of a store', () => {
  it('are shown by reason, with the time of the oldest', () => {
    const since = new Date('2026-11-20T02:00:00Z');
    expect(presentOwed({ count: 3, since, byCode: { refused: 2, changed: 1 } })).toEqual({
      count: 3,
      since: '2026-11-20T02:00:00.000Z',
      reasons: [
        { code: 'changed', count: 1, reason: 'its change in the store waits for the next run' },
        { code: 'refused', count: 2, reason: 'the catalog refused it' },
      ],
    });
  });

  it('are none where nothing was put off', () => {
    expect(presentOwed({ count: 0, since: null, byCode: {} })).toEqual({
      count: 0,
      since: null,
      reasons: [],
    });
  });
});
