import { beforeEach, describe, expect, it } from '@jest/globals';
import { NO_COUNTS } from '../../../src/domain/run-counts.js';
import { CodedError } from '../../../src/domain/errors.js';
import { refusal } from '../../support/fake-catalog.js';
import { snapshot } from '../../support/fake-store.js';
import { OTHER_STORE, Stages, STORE, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => stages.reset());

const fullRun = { store: STORE, workspace: WORKSPACE, kind: 'full', trigger: 'command' } as const;
const slot = new Date('2026-11-20T02:00:00Z');

async function queued(): Promise<string> {
  const run = await stages.runs.request(fullRun);
  if (!run) throw new Error('no run');
  return run.id;
}

async function soonDue(runId: string): Promise<void> {
  await stages.db.affected(
    `UPDATE sync_run SET retry_at = now() - interval '1 second' WHERE id = $1 AND retry_at IS NOT NULL`,
    [runId],
  );
}

describe('asking for a run', () => {
  it('makes one of fifty requests at once', async () => {
    const asked = await Promise.all(Array.from({ length: 50 }, () => stages.runs.request(fullRun)));
    expect(new Set(asked.map((run) => run?.id)).size).toBe(1);
    expect(asked.filter((run) => run?.created === true)).toHaveLength(1);
  });

  it('makes one run of a slot that fifty replicas ask for, and none once it has ended', async () => {
    const ask = () => stages.runs.request({ ...fullRun, trigger: 'schedule', slot });
    await Promise.all(Array.from({ length: 50 }, ask));
    const [run] = await stages.runs.latest(STORE, 2);
    await stages.runs.claim(run!.id, 'lease');
    await stages.runs.finish(run!.id, 'lease', { state: 'succeeded', counts: NO_COUNTS });
    expect(await ask()).toBeNull();
    expect(await stages.runs.latest(STORE, 2)).toHaveLength(1);
  });

  it('is a matter of each store', async () => {
    await queued();
    expect(await stages.runs.request({ ...fullRun, store: OTHER_STORE })).toMatchObject({ created: true });
  });

  it('of a store that is not configured is refused with the stores there are', async () => {
    await expect(stages.sync({ store: 'typo' })).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('main, other'),
    });
  });
});

describe('a lease', () => {
  it('goes to one of fifty workers', async () => {
    const id = await queued();
    const claims = await Promise.all(
      Array.from({ length: 50 }, (_each, index) => stages.runs.claim(id, `lease ${index}`)),
    );
    expect(claims.filter((run) => run !== null)).toHaveLength(1);
  });

  it('that ran out goes to the next worker, and its old holder moves nothing any more', async () => {
    const id = await queued();
    await stages.runs.claim(id, 'old');
    expect(await stages.runs.claim(id, 'new')).toBeNull();
    await stages.expireLease(id);
    expect(await stages.runs.claim(id, 'new')).toMatchObject({ id, attempts: 2 });
    const before = await stages.contents();
    expect(await stages.runs.keepLease(id, 'old', { counts: { seen: 9 } })).toBeNull();
    await stages.runs.setOperation(id, 'old', 'export');
    await stages.runs.release(id, 'old');
    expect(await stages.runs.finish(id, 'old', { state: 'failed', counts: NO_COUNTS })).toBeNull();
    expect(await stages.contents()).toBe(before);
  });

  it('that was kept is not given away', async () => {
    const id = await queued();
    await stages.runs.claim(id, 'own');
    await stages.expireLease(id);
    expect(await stages.runs.keepLease(id, 'own')).toEqual({ cancelledBy: null });
    expect(await stages.runs.claim(id, 'other')).toBeNull();
    expect(await stages.runs.unattended()).toEqual([]);
  });

  it('is not taken by a process that does not know the store, unless none takes it for ten minutes', async () => {
    stages.store.put(snapshot(1));
    const id = await queued();
    const { worker } = stages;
    stages.isConfigured = false;
    expect(await stages.worker.claimNext()).toBeNull();
    expect((await worker.claimNext())?.run.id).toBe(id);
    await stages.db.affected(
      `UPDATE sync_run SET state = 'queued', lease = NULL, lease_until = NULL, created_at = now() - interval '11 minutes'`,
    );
    const claimed = await stages.worker.claimNext();
    expect(await stages.worker.workClaimed(claimed!, new AbortController().signal)).toMatchObject({
      ...{ id, state: 'failed', errorCode: 'misconfigured' },
    });
  });

  it('of an ended run cannot be taken', async () => {
    stages.store.put(snapshot(1));
    const run = await stages.sync();
    expect(await stages.runs.claim(run.id, 'late')).toBeNull();
  });
});

describe('a run that failed', () => {
  it('is queued again once its wait is over, and not before', async () => {
    stages.store.put(snapshot(1));
    stages.store.script.before('startExport', refusal('transient'));
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'failed', errorCode: 'transient', phase: 'extract' });
    expect(run.retryAt!.getTime()).toBeGreaterThan(Date.now() + 10_000);
    expect(await stages.runs.requeueDue()).toEqual([]);
    await soonDue(run.id);
    expect(await stages.runs.requeueDue()).toEqual([run.id]);
    expect(await stages.work(run.id)).toMatchObject({ state: 'succeeded', counts: { created: 1 } });
  });

  it('waits longer after each attempt', async () => {
    stages.store.script.before('startExport', refusal('transient'), 3);
    let run = await stages.sync();
    const waits = [run.retryAt!.getTime() - run.finishedAt!.getTime()];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await soonDue(run.id);
      await stages.runs.requeueDue();
      run = await stages.work(run.id);
      waits.push(run.retryAt!.getTime() - run.finishedAt!.getTime());
    }
    expect(waits).toEqual([22_500, 90_000, 450_000]);
  });

  it('is left alone when a newer run has started', async () => {
    stages.store.script.before('startExport', refusal('transient'));
    const old = await stages.sync();
    await soonDue(old.id);
    await stages.sync();
    expect(await stages.runs.requeueDue()).toEqual([]);
  });

  it('is queued again after incremental runs where it is a full one that never read its store to the end', async () => {
    await stages.sync();
    stages.store.script.before('startExport', refusal('transient'));
    const full = await stages.sync();
    expect(await stages.sync({ full: false })).toMatchObject({ kind: 'incremental', state: 'succeeded' });
    await soonDue(full.id);
    const event = { ...fullRun, kind: 'incremental', trigger: 'event' } as const;
    const active = (await stages.runs.request(event))!.id;
    expect(await stages.runs.requeueDue()).toEqual([]);
    await stages.work(active);
    expect(await stages.runs.requeueDue()).toEqual([full.id]);
    expect(await stages.work(full.id)).toMatchObject({ kind: 'full', state: 'succeeded' });
  });

  it('repeats only what failed for a passing reason', async () => {
    stages.store.put(snapshot(1), snapshot(2), snapshot(3));
    stages.catalog.requestsAtOnce = 1;
    stages.catalog.script.before('upsertProduct', refusal('invalid', { fields: { brand: ['No.'] } }));
    stages.catalog.script.before('upsertProduct', refusal('transient'), 6);
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'partial', counts: { created: 1, failed: 2 } });
    stages.catalog.script.forget();
    await soonDue(run.id);
    await stages.runs.requeueDue();
    const again = await stages.work(run.id);
    expect(again).toMatchObject({ id: run.id, state: 'partial', counts: { seen: 3, created: 2, failed: 1 } });
    expect(again.retryAt).toBeNull();
    expect(stages.catalog.script.count('upsertProduct')).toBe(1);
  });

  it('leaves its open products to the run that comes next', async () => {
    stages.store.put(snapshot(1));
    await stages.sync();
    stages.store.edit('1', { vendor: 'New', updatedAt: new Date(0) });
    stages.store.exports = false;
    stages.catalog.script.before('updateProduct', refusal('transient'), 6);
    const failed = await stages.sync();
    expect(failed).toMatchObject({ state: 'partial', counts: { failed: 1 } });
    const next = await stages.sync({ full: false });
    expect(next).toMatchObject({ kind: 'incremental', state: 'succeeded', counts: { seen: 1, updated: 1 } });
    expect(await stages.actionsOf(failed.id)).toMatchObject([{ state: 'superseded' }]);
    expect(stages.catalog.of(snapshot(1).externalId)?.brand).toBe('New');
  });
});

describe('the watermark', () => {
  it('moves to the start of the read, in the transaction that stores the plan', async () => {
    stages.store.put(snapshot(1));
    let batchAt = new Date(0);
    stages.store.script.before('batch', async () => {
      expect((await stages.state.store(STORE))?.watermark).toBeNull();
      batchAt = await stages.db.now();
    });
    const { readFrom, createdAt } = await stages.sync();
    expect((await stages.state.store(STORE))?.watermark).toEqual(readFrom);
    expect(readFrom!.getTime()).toBeGreaterThanOrEqual(createdAt.getTime());
    expect(readFrom!.getTime()).toBeLessThanOrEqual(batchAt.getTime());
  });

  it('stays when the plan does not come to its end', async () => {
    stages.store.put(snapshot(1));
    stages.catalog.script.before('listProducts', refusal('transient'));
    expect(await stages.sync()).toMatchObject({ state: 'failed' });
    expect((await stages.state.store(STORE))?.watermark).toBeNull();
  });

  it('is read again with fifteen minutes to spare', async () => {
    stages.store.put(snapshot(1));
    await stages.sync();
    const watermark = (await stages.state.store(STORE))!.watermark!;
    stages.store.edit('1', { vendor: 'New', updatedAt: new Date(watermark.getTime() - 14 * 60_000) });
    stages.store.put(snapshot(2, { updatedAt: new Date(watermark.getTime() - 16 * 60_000) }));
    expect(await stages.sync({ full: false })).toMatchObject({ counts: { seen: 1, updated: 1 } });
  });

  it.each([
    ['filter.status', { filter: { status: ['ACTIVE', 'DRAFT'] } }, { created: 1 }],
    ['mapping', { mapping: { productLists: ['spring'] } }, { updated: 1 }],
  ])(
    'stands for the settings of its read: after a change of %s all is read',
    async (_what, store, counts) => {
      stages.store.put(snapshot(1), snapshot(2, { status: 'DRAFT' }));
      await stages.sync();
      stages.settings = { store, workspace: {} };
      expect(await stages.sync({ full: false })).toMatchObject({ kind: 'full', counts });
      expect(await stages.sync({ full: false })).toMatchObject({ kind: 'incremental' });
    },
  );

  it('never moves back', async () => {
    await stages.sync();
    await stages.db.affected(`UPDATE store_state SET watermark = watermark + interval '1 hour'`);
    const first = (await stages.state.store(STORE))!.watermark!;
    await stages.sync();
    expect((await stages.state.store(STORE))?.watermark).toEqual(first);
  });
});

describe('stopping', () => {
  it.each(['startExport', 'batch'] as const)('in the middle of %s hands the run on', async (operation) => {
    stages.store.put(snapshot(1), snapshot(2), snapshot(3));
    const stop = new AbortController();
    const reason = new CodedError('transient', 'stopped');
    stages.store.script.before(operation, () => stop.abort(reason));
    const stopped = await stages.sync({ signal: stop.signal });
    expect(stopped).toMatchObject({ state: 'queued' });
    expect(await stages.runs.unattended()).toEqual([stopped.id]);
    expect(await stages.work(stopped.id)).toMatchObject({ id: stopped.id, state: 'succeeded' });
  });

  it('while products are sent hands the run on, and none is sent twice', async () => {
    stages.store.put(snapshot(1), snapshot(2), snapshot(3));
    stages.catalog.requestsAtOnce = 1;
    const stop = new AbortController();
    stages.catalog.script.after('upsertProduct', () => stop.abort(new Error('stopped')));
    const stopped = await stages.sync({ signal: stop.signal });
    expect(stopped).toMatchObject({ state: 'queued', phase: 'apply' });
    expect(await stages.work(stopped.id)).toMatchObject({ state: 'succeeded', counts: { created: 3 } });
    expect(stages.catalog.script.count('upsertProduct')).toBe(3);
    expect(stages.store.script.count('startExport')).toBe(1);
  });
});
