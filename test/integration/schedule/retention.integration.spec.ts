import { beforeEach, describe, expect, it } from '@jest/globals';
import { HistoryRepository } from '../../../src/persistence/history.repository.js';
import { RetentionRepository } from '../../../src/persistence/retention.repository.js';
import { Retention } from '../../../src/schedule/retention.js';
import { snapshot } from '../../support/fake-store.js';
import { loggerTo } from '../../support/logs.js';
import { deliver, receive, resultOf, writeAll } from '../../support/results.js';
import { PERSON, Stages, STORE, WORKSPACE } from '../../support/stages.js';
import { sqlRow, sqlRows } from '../../support/sql.js';

const stages = await Stages.open();
let logged: object[];
beforeEach(async () => {
  await stages.reset();
  logged = [];
});

const log = loggerTo(({ fields }) => logged.push(fields));

function retention(sleep = async (): Promise<void> => undefined): Retention {
  return new Retention(new RetentionRepository(stages.db), { sleep }, log);
}

const AGED: Readonly<Record<string, readonly string[]>> = {
  sync_run: ['created_at', 'started_at', 'finished_at'],
  sync_action: ['created_at', 'settled_at'],
  generation_task: ['requested_at', 'answered_at', 'settled_at'],
  webhook_delivery: ['received_at', 'settled_at'],
  write_back: ['created_at', 'settled_at'],
  notification: ['since', 'ended_at'],
  bulk_change: ['created_at', 'finished_at'],
};

/** Everything so far happened so many days earlier. */
async function age(days: number): Promise<void> {
  for (const [table, columns] of Object.entries(AGED)) {
    const moved = columns.map((column) => `${column} = ${column} - interval '${String(days)} days'`);
    await stages.db.affected(`UPDATE ${table} SET ${moved.join(', ')}`);
  }
}

async function counts(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of Object.keys(AGED)) {
    const row = await sqlRow<{ count: string }>(stages.db, `SELECT count(*) FROM ${table}`);
    found[table] = Number(row?.count);
  }
  return found;
}

let nights = 0;
/** A night in which the given products were edited in the store, new content came for each, and was written. */
async function night(...ids: readonly number[]): Promise<void> {
  nights += 1;
  for (const id of ids) stages.store.put(snapshot(id, { vendor: `Vendor ${String(nights)}` }));
  await stages.sync();
  for (const id of ids)
    await deliver(stages, await resultOf(stages, id, { name: `Name ${String(id)} of ${String(nights)}` }));
  await writeAll(stages);
}

describe('a pass', () => {
  it('removes what has settled before the horizon, and leaves each product its last and the whole journal', async () => {
    await night(1, 2);
    await age(50);
    await night(1);
    await age(50);
    await night(1);
    expect(await counts()).toMatchObject({
      ...{ sync_run: 3, sync_action: 4, generation_task: 4, webhook_delivery: 4, write_back: 4 },
    });
    await retention().pass();
    // Of the first night product 1 has newer rows: only 2's are left, and the run that they belong to.
    expect(await counts()).toMatchObject({
      ...{ sync_run: 3, sync_action: 3, generation_task: 3, webhook_delivery: 2, write_back: 4 },
    });
    expect(logged).toEqual([{ removed: { sync_action: 1, generation_task: 1, webhook_delivery: 2 } }]);
    const history = new HistoryRepository(stages.db);
    const one = await history.actions(snapshot(1).externalId);
    expect(one.map((action) => action.kind)).toEqual(['update', 'update']);
    const two = await history.actions(snapshot(2).externalId);
    expect(two.map((action) => action.kind)).toEqual(['create']);
  });

  it('removes a run with its last action, but never a store’s newest', async () => {
    await night(1);
    await age(100);
    await night(1);
    await age(100);
    await retention().pass();
    expect(await counts()).toMatchObject({ sync_run: 1, sync_action: 1, generation_task: 1, write_back: 2 });
    await age(1000);
    await retention().pass();
    expect(await counts()).toMatchObject({ sync_run: 1, sync_action: 1, generation_task: 1, write_back: 2 });
  });

  it('changes nothing of what follows: no product is created, asked for or written again, and a revert restores', async () => {
    await night(1, 2);
    await age(400);
    await night(1);
    await age(400);
    const calls = stages.catalog.script.calls.length;
    await retention().pass();
    const run = await stages.sync();
    expect(run.counts).toMatchObject({ seen: 2, unchanged: 2 });
    // A full run reads the listing, and sends nothing.
    const sent = stages.catalog.script.calls.slice(calls).map(({ operation }) => operation);
    expect(sent).toEqual(['listProducts']);
    // The last result again, as a sender that forgot would: content that is there already.
    const { writeBackId } = await deliver(stages, await resultOf(stages, 1, { name: `Name 1 of ${nights}` }));
    await writeAll(stages);
    expect((await stages.writeBacks.get(writeBackId!))?.state).not.toBe('applied');
    const [applied] = await sqlRows<{ id: string }>(
      stages.db,
      `SELECT id FROM write_back WHERE external_id = $1 AND state = 'applied'`,
      [snapshot(2).externalId],
    );
    await stages.reverter.revert(applied!.id, PERSON);
    expect(stages.store.at('2')).toMatchObject({ title: snapshot(2).title });
  });

  it('leaves what is open: tasks, deliveries whose write-back waits for a person; a parked delivery goes', async () => {
    stages.settings = { store: { writeBack: { mode: 'review' } }, workspace: {} };
    stages.store.put(snapshot(1), snapshot(2));
    await stages.sync();
    await deliver(stages, await resultOf(stages, 1));
    const unknown = { id: 999, external_id: 'shopify:elsewhere.myshopify.com:9' };
    await receive(stages, await resultOf(stages, 1, { product: unknown, taskId: 'of nobody' }));
    await stages.db.affected(
      `UPDATE webhook_delivery SET state = 'parked', settled_at = now() WHERE state = 'received'`,
    );
    await age(1000);
    const before = await counts();
    expect(before).toMatchObject({ generation_task: 2, webhook_delivery: 2, write_back: 1, sync_action: 2 });
    await retention().pass();
    expect(await counts()).toEqual({ ...before, webhook_delivery: 1 });
    expect(logged).toHaveLength(1);
  });

  it('takes plans, notifications and bulk changes that are over with it', async () => {
    await stages.plans.begin(STORE, WORKSPACE, { isKept: true });
    await stages.db.affected(`INSERT INTO notification (kind, subject, facts, since, ended_at)
      VALUES ('k', 'ended', '{}', now(), now()), ('k', 'goes on', '{}', now(), NULL)`);
    await stages.db
      .affected(`INSERT INTO bulk_change (action, dry_run, filter, until, actor, matching, state, finished_at)
      SELECT 'approve', false, '{}', now(), 'a', 1, state, CASE WHEN state <> 'running' THEN now() END
      FROM unnest(ARRAY['done', 'failed', 'cancelled', 'running']) AS state`);
    await age(89);
    await retention().pass();
    expect(await counts()).toMatchObject({
      ...{ sync_run: 1, notification: 2, bulk_change: 4 },
    });
    await age(2);
    await retention().pass();
    expect(await counts()).toMatchObject({
      ...{ sync_run: 0, notification: 1, bulk_change: 1 },
    });
  });

  it('goes through a table in steps, beside another pass, to the same end', async () => {
    stages.store.put(...Array.from({ length: 30 }, (_each, index) => snapshot(index + 1)));
    await stages.sync();
    await night(...Array.from({ length: 30 }, (_each, index) => index + 1));
    await age(100);
    const rows = new RetentionRepository(stages.db);
    const removed = await Promise.all([1, 2].map(() => rows.remove(90, 7, () => Promise.resolve(true))));
    const sum = (table: string): number => removed.reduce((total, each) => total + (each[table] ?? 0), 0);
    expect({
      actions: sum('sync_action'),
      runs: sum('sync_run'),
      deliveries: sum('webhook_delivery'),
    }).toEqual({
      ...{ actions: 30, runs: 1, deliveries: 30 },
    });
  });

  it('removes what a dry run that died has noted', async () => {
    await stages.db.affected(
      `INSERT INTO seen_product (run_id, external_id) VALUES (gen_random_uuid(), 'left-behind')`,
    );
    await retention().pass();
    expect(await sqlRows(stages.db, 'SELECT * FROM seen_product')).toEqual([]);
  });

  it('ends after the statement under way when it is stopped', async () => {
    await night(1);
    await age(100);
    await night(1);
    await age(100);
    let steps = 0;
    const stopped: Retention = retention(() => {
      steps += 1;
      stopped.stop();
      return Promise.resolve();
    });
    await stopped.pass();
    await stopped.pass();
    expect(steps).toBe(1);
    expect(await counts()).toMatchObject({ sync_run: 2 });
  });
});
