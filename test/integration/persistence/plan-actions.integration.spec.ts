import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PlanTransaction } from '../../../src/persistence/plan-transaction.js';
import { snapshot } from '../../support/fake-store.js';
import { sqlRows } from '../../support/sql.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';
import { until } from '../../support/until.js';

const LEASE = 'planner';

let stages: Stages;
beforeAll(async () => {
  stages = await Stages.open();
  await stages.reset();
});
afterAll(async () => stages.close());

it('a plan that drops an action leaves a product orphaned that another transaction orphans meanwhile', async () => {
  stages.store.put(snapshot(1));
  await stages.sync();
  const request = { store: STORE, workspace: WORKSPACE, kind: 'full', trigger: 'command' } as const;
  const id = (await stages.runs.request(request))?.id ?? '';
  await stages.runs.claim(id, LEASE, 60_000);
  const plan = await PlanTransaction.begin(stages.db, {
    id,
    store: STORE,
    workspace: WORKSPACE,
    lease: LEASE,
  });
  const other = stages.db.dataSource.createQueryRunner();
  const { externalId } = snapshot(1);
  const withheld = [{ kind: 'sku', value: 'SKU-1', owner: externalId, reason: 'shared' }] as const;
  try {
    await other.startTransaction();
    await other.query(`UPDATE store_product SET state = 'orphaned' WHERE external_id = $1`, [externalId]);
    const dropped = plan.actions.drop([{ id: '0', externalId, withheld }]);
    await until('the plan waits for the row', async () => {
      const sql = `SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await sqlRows(stages.db, sql)).length > 0;
    });
    await other.commitTransaction();
    await dropped;
    const end = { readFrom: new Date(), full: true, complete: false, proved: false, notCompared: null };
    expect(await plan.commit(LEASE, { ...end, counts: {} })).toBe(true);
    expect(await stages.link(1)).toMatchObject({ state: 'orphaned', withheld });
  } finally {
    await other.release();
    await plan.end();
  }
});
