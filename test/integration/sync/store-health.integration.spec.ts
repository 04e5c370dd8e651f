import { beforeEach, describe, expect, it } from '@jest/globals';
import { CodedError } from '../../../src/domain/errors.js';
import { EVENT_RUNS_AN_HOUR } from '../../../src/persistence/owed.repository.js';
import { StoreHealthOperations } from '../../../src/operations/store-health.js';
import { StoreProbe } from '../../../src/connections/store-probe.js';
import { refusal } from '../../support/fake-catalog.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, resultOf } from '../../support/results.js';
import { sqlRows } from '../../support/sql.js';
import { OTHER_STORE, Stages, STORE, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  for (const id of [1, 2, 3]) stages.store.put(snapshot(id));
  await stages.sync();
  stages.store.script.forget();
});

const deadToken = refusal('auth', { status: 401, side: 'store' });
const noWriteAccess = refusal('auth', { status: 403, side: 'store' });

function operations(): StoreHealthOperations {
  return new StoreHealthOperations(
    stages.connections,
    stages.pauses,
    new StoreProbe(stages.pauses),
    stages.state,
    stages.identities,
  );
}

async function pauseIsOver(): Promise<void> {
  await stages.db.affected(`UPDATE store_state SET paused_until = now() WHERE store = $1`, [STORE]);
}

async function storeEvent(): Promise<void> {
  await stages.db.affected(
    `INSERT INTO announced_product (external_id, store, store_id, announced_at)
     VALUES ('shopify:shop:1', $1, 'gid://shopify/Product/1', now() - interval '2 minutes')`,
    [STORE],
  );
}

const storesDue = (): Promise<string[]> => stages.owed.storesAnnounced(0);

/** Write-backs of products 1, 2 and 3 that are ready. */
async function readyWriteBacks(): Promise<string[]> {
  const ids: string[] = [];
  for (const id of [1, 2, 3]) {
    const { writeBackId } = await deliver(stages, await resultOf(stages, id));
    if (writeBackId === null) throw new Error('no write-back');
    ids.push(writeBackId);
  }
  return ids;
}

describe('a retry', () => {
  it('ends the pause of the catalog as well, which holds up the same runs', async () => {
    const pause = {
      scope: 'everything',
      code: 'credentials_refused',
      reason: 'the token was refused',
    } as const;
    await stages.pauses.catalog.pause(WORKSPACE, pause);
    await operations().retry(STORE);
    expect(await stages.pauses.catalog.standing(WORKSPACE)).toBeNull();
  });
});

describe('a store that refuses the token', () => {
  it('pauses that store alone: the workspace and its other stores go on', async () => {
    stages.store.script.before('startExport', deadToken);
    expect(await stages.sync()).toMatchObject({ state: 'failed', errorCode: 'auth' });
    expect(await operations().of(STORE)).toMatchObject({
      ...{ state: 'paused', scope: 'everything', code: 'credentials_refused' },
      reason: 'the catalog says auth',
    });
    expect(await stages.pauses.catalog.forbids(WORKSPACE, 'reads')).toBeNull();
    stages.otherStore.put(snapshot(8));
    expect(await stages.sync({ store: OTHER_STORE })).toMatchObject({ state: 'succeeded' });
    expect(await operations().of(OTHER_STORE)).toMatchObject({ state: 'ok' });
  });

  it('is not asked again by runs and write-backs until its pause is over', async () => {
    const [first = ''] = await readyWriteBacks();
    stages.store.script.before('startExport', deadToken);
    await stages.sync();
    stages.store.script.forget();
    const refused = await stages.sync();
    expect(refused).toMatchObject({ state: 'failed', errorCode: 'throttled' });
    expect(refused.error).toContain(`store ${STORE} is paused`);
    expect(await stages.writer.write(first)).toMatchObject({ state: 'postponed' });
    expect(stages.store.script.operations()).toEqual([]);
    await pauseIsOver();
    expect(await stages.sync()).toMatchObject({ state: 'succeeded' });
    expect(await operations().of(STORE)).toMatchObject({ state: 'ok', reason: null, nextTry: null });
  });

  it('is paused longer each time, since the first refusal', async () => {
    const remaining: number[] = [];
    const startTimes: (string | null)[] = [];
    for (let time = 0; time < 3; time += 1) {
      stages.store.script.before('startExport', deadToken);
      await pauseIsOver();
      await stages.sync();
      remaining.push((await stages.pauses.store.forbids(STORE, 'reads'))?.remainingMs ?? 0);
      startTimes.push((await operations().of(STORE)).since);
    }
    expect(remaining.map((ms) => Math.round(ms / 10_000) * 10)).toEqual([30, 60, 120]);
    expect(new Set(startTimes).size).toBe(1);
  });

  it('is paused once for all requests that were under way', async () => {
    const ids = await readyWriteBacks();
    const allAsk = Promise.withResolvers<undefined>();
    const refuseAll = async (): Promise<never> => {
      if (stages.store.script.count('readLive') === 3) allAsk.resolve(undefined);
      await allAsk.promise;
      return deadToken();
    };
    stages.store.script.before('readLive', refuseAll, 3);
    await Promise.all(ids.map((id) => stages.writer.write(id)));
    expect(stages.store.script.count('readLive')).toBe(3);
    const { remainingMs = 0 } = (await stages.pauses.store.forbids(STORE, 'writes')) ?? {};
    expect(Math.round(remainingMs / 10_000) * 10).toBe(30);
  });
});

describe('a store that does not answer', () => {
  const away = refusal('transient', { status: 503, side: 'store' });
  const eventRun = async () => {
    const { id } = await stages.requests.request({ store: STORE, full: false, trigger: 'event' });
    return stages.work(id);
  };

  it('gets no further run by its events while the one that failed waits to be tried again, which then reads them', async () => {
    await storeEvent();
    stages.store.script.before('identify', away);
    const { id } = await eventRun();
    expect(await storesDue()).toEqual([]);
    await stages.db.affected('UPDATE sync_run SET retry_at = now() WHERE id = $1', [id]);
    expect(await stages.runs.requeueDue()).toEqual([id]);
    expect(await stages.work(id)).toMatchObject({ state: 'succeeded' });
    expect(await sqlRows(stages.db, 'SELECT 1 FROM announced_product')).toEqual([]);
  });

  it('has its events read while a full run waits to be tried again', async () => {
    stages.store.script.before('startExport', away);
    expect(await stages.sync()).toMatchObject({ state: 'failed', retryAt: expect.any(Date) });
    await storeEvent();
    expect(await storesDue()).toEqual([STORE]);
  });

  it('is tried again for its events after ten minutes, however long the run waits', async () => {
    await storeEvent();
    stages.store.script.before('identify', refusal('transient', { retryAfterMs: 3_600_000, side: 'store' }));
    const { id } = await eventRun();
    expect(await storesDue()).toEqual([]);
    await stages.db.affected(
      `UPDATE sync_run SET finished_at = now() - interval '11 minutes' WHERE id = $1`,
      [id],
    );
    expect(await storesDue()).toEqual([STORE]);
    expect(await eventRun()).toMatchObject({ state: 'succeeded' });
  });
});

describe('a store that denies writing', () => {
  it('pauses its writes after one attempt; they wait visibly, and reading goes on', async () => {
    const ids = await readyWriteBacks();
    stages.store.script.before('writeFields', noWriteAccess, 3);
    for (const id of ids) await stages.writer.write(id);
    expect(stages.store.script.count('writeFields')).toBe(1);
    expect(await operations().of(STORE)).toMatchObject({ scope: 'writes', code: 'write_access_missing' });
    for (const id of ids)
      expect(await stages.writeBacks.get(id)).toMatchObject({
        ...{ state: 'ready', attempts: 0 },
        reason: expect.stringContaining(`waits for store ${STORE}, which is paused`),
      });
    expect(await stages.sync()).toMatchObject({ state: 'succeeded' });
    expect(await operations().of(STORE)).toMatchObject({ state: 'paused' });
  });

  it('ends its pause with the first write that succeeds', async () => {
    const [first = '', second = ''] = await readyWriteBacks();
    stages.store.script.before('writeFields', noWriteAccess);
    await stages.writer.write(first);
    await pauseIsOver();
    expect(await stages.writer.write(second)).toMatchObject({ state: 'applied' });
    expect(await operations().of(STORE)).toMatchObject({ state: 'ok' });
  });
});

describe('the retry of a paused store', () => {
  beforeEach(async () => {
    await readyWriteBacks();
    stages.store.script.before('startExport', deadToken);
    await stages.sync();
  });

  it('that is still refused prolongs the pause and says why', async () => {
    stages.store.script.before('identify', () => {
      throw new CodedError('auth', 'the token is revoked', { status: 401, side: 'store' });
    });
    const { health, woken } = await operations().retry(STORE);
    expect(health).toMatchObject({
      state: 'paused',
      reason: expect.stringContaining('the token is revoked'),
    });
    expect(woken).toEqual({ writeBacks: 0, runs: 0 });
    const { remainingMs = 0 } = (await stages.pauses.store.forbids(STORE, 'reads')) ?? {};
    expect(Math.round(remainingMs / 10_000) * 10).toBe(60);
  });

  it('ends the pause when what caused it works again, whatever else the check finds', async () => {
    stages.store.findings = [
      { level: 'fail', what: 'scopes', detail: 'the app lacks write_files' },
      { level: 'fail', what: 'API version', detail: 'retired' },
    ];
    expect(await operations().retry(STORE)).toMatchObject({ health: { state: 'ok' } });
  });

  it('that is granted ends the pause and makes everything due that waits', async () => {
    const [ready] = await sqlRows<{ id: string }>(
      stages.db,
      `SELECT id FROM write_back WHERE state = 'ready' LIMIT 1`,
    );
    await stages.writer.write(ready?.id ?? '');
    const { health, woken } = await operations().retry(STORE);
    expect(health.state).toBe('ok');
    expect(woken).toEqual({ writeBacks: 1, runs: 1 });
    expect(await stages.runs.requeueDue()).toHaveLength(1);
    expect(await stages.writeBacks.due(10)).toHaveLength(3);
  });

  it('happens by itself once, in one process, when the pause is over', async () => {
    const probe = new StoreProbe(stages.pauses);
    const store = stages.connections.store(STORE);
    expect(await probe.probeWhenDue(store)).toBeNull();
    await pauseIsOver();
    const results = await Promise.all([probe.probeWhenDue(store), probe.probeWhenDue(store)]);
    expect(results.filter((result) => result !== null)).toHaveLength(1);
    expect(await operations().of(STORE)).toMatchObject({ state: 'ok' });
  });

  it('of a store that is not configured is an error', async () => {
    await expect(operations().retry('nobody')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a shop that cannot be used', () => {
  const closed = refusal('unavailable', { status: 402, side: 'store' });

  it('pauses its store when a run meets it, and the run is tried again after the pause', async () => {
    stages.store.script.before('identify', closed);
    expect(await stages.sync()).toMatchObject({
      ...{ state: 'failed', errorCode: 'unavailable', retryAt: expect.any(Date) },
    });
    expect(await operations().of(STORE)).toMatchObject({ code: 'shop_unavailable' });
    expect(await operations().retry(STORE)).toMatchObject({ health: { state: 'ok' } });
  });
});

describe('a store under whose address another shop answers', () => {
  it('is not read, and nothing of it is sent', async () => {
    stages.store.put(snapshot(9));
    stages.store.script.forget();
    stages.catalog.script.forget();
    stages.store.script.before('identify', refusal('misconfigured', { side: 'store' }));
    expect(await stages.sync()).toMatchObject({ state: 'failed', errorCode: 'misconfigured' });
    expect(stages.store.script.operations()).toEqual(['identify']);
    expect(stages.catalog.script.operations()).toEqual([]);
  });
});

describe('the API version that a store serves in place of the configured one', () => {
  it('is known after a run, and forgotten when the store serves the configured one', async () => {
    const served = async () =>
      sqlRows(stages.db, `SELECT served_version AS served FROM store_state WHERE store = $1`, [STORE]);
    stages.store.identity = { ...stages.store.identity, servedVersion: '2027-01' };
    await stages.sync();
    expect(await served()).toEqual([{ served: '2027-01' }]);
    stages.store.identity = { ...stages.store.identity, servedVersion: null };
    await stages.sync();
    expect(await served()).toEqual([{ served: null }]);
  });
});

describe('the stored events of a store', () => {
  beforeEach(storeEvent);

  it('ask for no run while the store is paused, and for one afterwards', async () => {
    expect(await storesDue()).toEqual([STORE]);
    await stages.pauses.store.pause(STORE, {
      scope: 'everything',
      code: 'credentials_refused',
      reason: 'refused',
    });
    expect(await storesDue()).toEqual([]);
    await pauseIsOver();
    expect(await storesDue()).toEqual([STORE]);
  });

  it('start a limited number of runs an hour; those that come then wait', async () => {
    await stages.db.affected(
      `INSERT INTO sync_run (store, workspace, kind, trigger, state, created_at)
       SELECT $1, 'default', 'incremental', 'event', 'succeeded', now() - number * interval '1 second'
       FROM generate_series(1, $2) AS number`,
      [STORE, EVENT_RUNS_AN_HOUR],
    );
    expect(await storesDue()).toEqual([]);
    await stages.db.affected(`UPDATE sync_run SET created_at = created_at - interval '59 minutes'`);
    expect(await storesDue()).toEqual([STORE]);
  });

  it('ask for a run while only the writes of the store are paused', async () => {
    await stages.pauses.store.pause(STORE, {
      scope: 'writes',
      code: 'write_access_missing',
      reason: 'denied',
    });
    expect(await storesDue()).toEqual([STORE]);
  });
});

describe('a store whose merchant uninstalled the app', () => {
  const slot = new Date('2026-11-01T03:00:00Z');
  const requestSlot = () =>
    stages.requests.requestSlot({ store: STORE, full: false, trigger: 'schedule', slot });

  async function uninstall(): Promise<void> {
    await stages.db.affected(
      `INSERT INTO store_installation (shop, store_key, installed_at, uninstalled_at)
       VALUES ('main.myshopify.com', $1, now() - interval '1 day', now())`,
      [STORE],
    );
    await stages.pauses.store.pause(STORE, {
      scope: 'everything',
      code: 'credentials_refused',
      reason: 'uninstalled',
    });
    await pauseIsOver();
  }

  async function install(): Promise<void> {
    await stages.db.affected('UPDATE store_installation SET uninstalled_at = NULL');
    await stages.pauses.store.end(STORE);
  }

  it('has no run for its events, no further attempt and no slot until it is installed again, which brings no slot of before', async () => {
    const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    await stages.requests.putOffSlot(STORE, slot);
    stages.store.script.before('startExport', deadToken);
    expect(await stages.work(id)).toMatchObject({ state: 'failed' });
    await storeEvent();
    await uninstall();
    await stages.db.affected('UPDATE sync_run SET retry_at = now() WHERE id = $1', [id]);
    const due = async () => [await storesDue(), await stages.runs.requeueDue()];
    expect(await due()).toEqual([[], []]);
    expect(await requestSlot()).toBeNull();
    expect(await stages.requests.requestSlotsPutOff()).toEqual([]);
    await install();
    expect(await due()).toEqual([[STORE], [id]]);
    expect(await stages.requests.requestSlotsPutOff()).toEqual([]);
    expect(await requestSlot()).toMatchObject({ id });
  });

  it('has a run that a person asks for, who then reads why it fails', async () => {
    await uninstall();
    expect(await stages.requests.request({ store: STORE, full: false, trigger: 'command' })).toMatchObject({
      created: true,
    });
  });

  it('has its runs again once it works by the settings of a file, however long ago that was', async () => {
    await storeEvent();
    await uninstall();
    await stages.pauses.store.end(STORE);
    expect(await storesDue()).toEqual([STORE]);
    expect(await requestSlot()).toMatchObject({ created: true });
  });
});
