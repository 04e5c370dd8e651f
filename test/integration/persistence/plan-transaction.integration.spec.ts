import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PlanTransaction } from '../../../src/persistence/plan-transaction.js';
import { snapshot } from '../../support/fake-store.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';

let stages: Stages;
let plan: PlanTransaction;

const LEASE = 'planner';
const first = snapshot(1).externalId;
const second = snapshot(2).externalId;

beforeAll(async () => {
  stages = await Stages.open();
  // A write that has to wait for the plan fails instead of hanging.
  await stages.db.dataSource.query(
    `ALTER DATABASE ${new URL(stages.url).pathname.slice(1)} SET lock_timeout = '2s'`,
  );
});
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2));
  await stages.sync();
  const request = { store: STORE, workspace: WORKSPACE, kind: 'full', trigger: 'command' } as const;
  const run = { id: (await stages.runs.request(request))!.id, store: STORE, workspace: WORKSPACE };
  await stages.runs.claim(run.id, LEASE, 60_000);
  plan = await PlanTransaction.begin(stages.db, run);
  await plan.reads.meet([first, second], ['new mark', 'new mark']);
  await plan.reads.moveFingerprints(
    new Map([
      [first, 'new'],
      [second, 'new'],
    ]),
  );
  await plan.reads.rememberReads(
    new Map([
      [first, 'new mark'],
      [second, 'new mark'],
    ]),
  );
});
afterAll(async () => stages.close());

const commit = async (): Promise<boolean> => {
  try {
    return await plan.commit(LEASE, {
      readFrom: new Date(),
      full: true,
      complete: true,
      proved: false,
      counts: {},
    });
  } finally {
    await plan.end();
  }
};

describe('while a plan is made', () => {
  it('the products that it has read can be written by others', async () => {
    expect(await stages.links.takeForWriting(first, 'writer', 60_000)).toBe(true);
    await stages.db.affected(`UPDATE store_product SET written = '{}' WHERE external_id = $1`, [second]);
    await plan.end();
  });

  it('nothing of what it learned is kept without a commit', async () => {
    await plan.end();
    expect(await stages.link(1)).not.toMatchObject({ sourceFingerprint: 'new' });
  });
});

describe('a committed plan', () => {
  it('keeps what it learned of products that nobody changed meanwhile', async () => {
    expect(await commit()).toBe(true);
    expect(await stages.link(1)).toMatchObject({ readMark: 'new mark', sourceFingerprint: 'new' });
  });

  it('leaves a product alone that somebody changed after it was compared', async () => {
    await stages.db.affected(`UPDATE store_product SET written = '{}' WHERE external_id = $1`, [first]);
    expect(await commit()).toBe(true);
    expect(await stages.link(1)).toMatchObject({ readMark: null, written: {} });
    expect(await stages.link(2)).toMatchObject({ readMark: 'new mark', sourceFingerprint: 'new' });
  });

  it('keeps nothing when another worker has taken the run over', async () => {
    await stages.db.affected(`UPDATE sync_run SET lease = 'other' WHERE lease = $1`, [LEASE]);
    expect(await commit()).toBe(false);
    expect(await stages.link(1)).not.toMatchObject({ sourceFingerprint: 'new' });
  });
});
