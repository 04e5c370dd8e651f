import { expect, it } from '@jest/globals';
import { nextStart } from './start-times.js';

const store = { schedule: { cron: '0 2 * * *', timezone: 'UTC', fullEvery: 7 } };

it.each([
  ['before the tick', '2026-11-20T01:00:00Z', '2026-11-20T02:00:00Z'],
  ['after it', '2026-11-20T02:00:01Z', '2026-11-21T02:00:00Z'],
])('the next start, asked %s, is at the tick that follows', (_when, now, start) => {
  expect(nextStart(store, new Date(now))).toEqual(new Date(start));
});
