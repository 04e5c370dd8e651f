import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { replaceNow } from './other-now.mjs';

// Loaded into a daemon under test by NODE_OPTIONS. STORE_SYNC_TEST_FAST_CLOCK holds { sinceMs, speed }: since that moment, the clock of the
// process runs `speed` times as fast. Dates, intervals and pauses follow it, and so do schedules.
//
// A single `setTimeout` of less than a minute is mostly a limit on an answer, which takes as long as ever. It stays as it is.

const { sinceMs, speed } = JSON.parse(process.env['STORE_SYNC_TEST_FAST_CLOCK'] ?? '{}');
const LIMIT_MS = 60_000;
const { now } = Date;
const { setInterval, setTimeout } = globalThis;
const { setTimeout: pause } = timersPromises;

const faster = (ms) => Math.max(1, (ms ?? 1) / speed);

replaceNow(() => Math.floor(sinceMs + (now() - sinceMs) * speed));
globalThis.setInterval = Object.assign(
  (work, ms, ...args) => setInterval(work, faster(ms), ...args),
  setInterval,
);
globalThis.setTimeout = Object.assign(
  (work, ms, ...args) => setTimeout(work, ms >= LIMIT_MS ? faster(ms) : ms, ...args),
  setTimeout,
);
timers.setInterval = globalThis.setInterval;
timers.setTimeout = globalThis.setTimeout;
timersPromises.setTimeout = (ms, ...args) => pause(faster(ms), ...args);
syncBuiltinESMExports();
