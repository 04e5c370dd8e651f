import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { Database, type SqlValue } from '../../../src/persistence/database.js';
import { GaugeRepository } from '../../../src/persistence/gauge.repository.js';
import { NotificationRepository } from '../../../src/persistence/notification.repository.js';
import type { RowReader } from '../../../src/persistence/row-reader.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';
import { sqlRows } from '../../support/sql.js';

let stages: Stages;
beforeAll(async () => {
  stages = await Stages.open();
});
afterAll(async () => stages.close());

/** Keeps the reads that pass through it. */
class Listening extends Database {
  readonly reads: { readonly sql: string; readonly values: readonly SqlValue[] }[] = [];

  override async read<T>(
    reader: RowReader<T>,
    sql: string,
    values: readonly SqlValue[] = [],
    runner?: QueryRunner,
  ): Promise<T[]> {
    if (sql.startsWith('SELECT')) this.reads.push({ sql, values });
    return super.read(reader, sql, values, runner);
  }
}

it('what is read every few seconds is found by indexes, however large the history has grown', async () => {
  const db = new Listening(stages.db.dataSource);
  const gauges = new GaugeRepository(db);
  await gauges.backlog();
  await gauges.workspaces([WORKSPACE]);
  await gauges.stores([STORE]);
  await gauges.held([STORE]);
  const notifications = new NotificationRepository(db);
  await notifications.look({ stores: [STORE], workspaces: [WORKSPACE] }, () => []);
  expect(db.reads.length).toBe(7);
  const scans = await stages.db.transaction(async (runner) => {
    // Where an index serves at all it is used now; where none does, the whole table is read all the same.
    await runner.query('SET LOCAL enable_seqscan = off');
    const found: string[] = [];
    for (const { sql, values } of db.reads) {
      const plan = await sqlRows<Record<string, string>>(stages.db, `EXPLAIN ${sql}`, values, runner);
      const lines = plan.flatMap((row) => Object.values(row)).filter((line) => line.includes('Seq Scan'));
      found.push(...lines.map((line) => `${line.trim()} ← ${sql.slice(0, 60)}`));
    }
    return found;
  });
  expect(scans).toEqual([]);
});
