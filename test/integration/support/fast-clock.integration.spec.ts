import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { FastClock } from '../../soak/long/fast-clock.js';
import { createTestDatabase } from '../../support/postgres.js';
import { WorldDatabase } from '../../support/world/database.js';

const SPEED = 100_000;
/** Both clocks count whole milliseconds. */
const ROUNDED_MS = SPEED;

const program = `
  import { setTimeout as pause } from 'node:timers/promises';
  const began = Date.now();
  await pause(3_600_000);
  const timer = await new Promise((resolve) => { const timer = setInterval(() => resolve(timer), 3_600_000); });
  clearInterval(timer);
  await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  console.log(JSON.stringify({ began, ended: new Date().getTime() }));
`;

describe('a clock that is sped up', () => {
  it('is that of the database, too, and of what a table has by default', async () => {
    const clock = new FastClock(SPEED);
    const { url } = await createTestDatabase();
    const installing = await WorldDatabase.open({ url }, '');
    await clock.install(installing);
    await installing.close();
    // Sessions have the clock from their beginning.
    const database = await WorldDatabase.open({ url }, '');
    try {
      await database.rows('CREATE TABLE clocked (at timestamptz DEFAULT now())');
      const before = clock.now().getTime();
      await database.rows('INSERT INTO clocked DEFAULT VALUES');
      const [row] = await database.rows('SELECT at, clock_timestamp() AS now FROM clocked');
      const after = clock.now().getTime();
      const { at, now } = z.object({ at: z.date(), now: z.date() }).parse(row);
      const times = [before - ROUNDED_MS, at.getTime(), now.getTime(), after + ROUNDED_MS];
      expect(times).toEqual([...times].sort((one, other) => one - other));
    } finally {
      await database.close();
    }
  });

  it('lets dates, intervals, pauses and long timers of a process pass faster', async () => {
    const { option, env } = new FastClock(SPEED).preload;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [option, '--input-type=module', '-e', program],
      {
        env: { ...process.env, ...env },
      },
    );
    const { began, ended } = z.object({ began: z.number(), ended: z.number() }).parse(JSON.parse(stdout));
    expect(ended - began).toBeGreaterThanOrEqual(3 * 3_600_000 - 4 * ROUNDED_MS);
  });
});
