import { describe, expect, it } from '@jest/globals';
import type { NewAuditEntry } from '../persistence/audit.repository.js';
import { SILENT_LOGGER } from '../runtime/logger.js';
import { RefusedAttempts } from './refused-attempts.js';

const attempt = (actor: string): NewAuditEntry => ({
  ...{ actor, role: null, via: 'api', address: null, what: 'sign-in', targets: [], details: {} },
});

function recorder(record: (entry: NewAuditEntry) => Promise<void>) {
  const clock = { nowMs: 0, now: () => new Date(clock.nowMs) };
  return { clock, attempts: new RefusedAttempts({ record }, clock, SILENT_LOGGER) };
}

describe('refused attempts', () => {
  it('leave a hundred rows of an actor in an hour, and take no room from others', async () => {
    const rows: string[] = [];
    const { clock, attempts } = recorder(({ actor }) => {
      rows.push(actor);
      return Promise.resolve();
    });
    for (let count = 0; count < 150; count += 1) await attempts.record(attempt('nobody'));
    await attempts.record(attempt('vera'));
    expect([rows.length, rows.at(-1)]).toEqual([101, 'vera']);
    clock.nowMs += 3_600_000;
    await attempts.record(attempt('nobody'));
    expect(rows.length).toBe(102);
  });

  it('are refused also when the database is down', async () => {
    const { attempts } = recorder(() => Promise.reject(new Error('down')));
    await expect(attempts.record(attempt('nobody'))).resolves.toBeUndefined();
  });
});
