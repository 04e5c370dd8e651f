import { expect, it } from '@jest/globals';
import pg from 'pg';
import { openQueueBackend } from '../../../src/queue/open-queue-backend.js';
import { createTestDatabase } from '../../support/postgres.js';

const ROUNDS = 8;

it('a queue storage that is closed has no connection left, so that a server which stops then interrupts none', async () => {
  const { url } = await createTestDatabase();
  const observer = new pg.Client({ connectionString: url });
  await observer.connect();
  try {
    const left: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const backend = await openQueueBackend(
        { kind: 'postgres', databaseUrl: url },
        { log: () => undefined, waitMs: 10_000 },
      );
      await Promise.all([backend.ping(), backend.ping(), backend.ping()]);
      await backend.close();
      const { rowCount } = await observer.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'store-sync queue'`,
      );
      left.push(rowCount ?? 0);
    }
    expect(left).toEqual(Array<number>(ROUNDS).fill(0));
  } finally {
    await observer.end();
  }
});
