import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { shopIdentity } from '../../../src/domain/external-id.js';
import { ENTITIES } from '../../../src/persistence/entities/index.js';
import { TABLES_OF_STORES, TABLES_WITH_UNIQUE_STORE } from '../../../src/persistence/store-key.repository.js';
import { settleStoreKeys, type RenamePolicy } from '../../../src/connections/store-keys.js';
import { snapshot, SHOP, withSku } from '../../support/fake-store.js';
import { deliver, resultOf, writeAll } from '../../support/results.js';
import { Schedulers } from '../../support/schedulers.js';
import { sqlRows } from '../../support/sql.js';
import { OTHER_STORE, Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), withSku(snapshot(2), 'SKU-1'), snapshot(3));
});

const settle = (policy: RenamePolicy = 'move'): Promise<void> =>
  settleStoreKeys(stages.keys, stages.connections.stores, policy, stages.logger);
const settleRenamed = async (to = 'north'): Promise<void> => {
  stages.storeKey = to;
  await settle();
};

describe('a store whose key was renamed in the configuration', () => {
  beforeEach(async () => {
    await settle();
    await stages.sync();
  });

  it('sends nothing again, and its next incremental run reads on from the watermark', async () => {
    await settleRenamed();
    stages.catalog.script.forget();
    expect(await stages.sync({ full: false })).toMatchObject({ kind: 'incremental', store: 'north' });
    const full = await stages.sync();
    expect(full.counts).toMatchObject({ seen: 3, unchanged: 3, created: 0, updated: 0, conflicted: 2 });
    expect(stages.catalog.script.operations().filter((name) => /upsert|update/.test(name))).toEqual([]);
  });

  it('takes results of requests that it made before', async () => {
    await settleRenamed();
    await deliver(stages, await resultOf(stages, 3, { name: 'A new title' }));
    await writeAll(stages);
    expect(stages.store.at('3').title).toBe('A new title');
  });

  it('leaves no row under its old key', async () => {
    await settleRenamed();
    for (const table of [...TABLES_OF_STORES, ...TABLES_WITH_UNIQUE_STORE])
      expect([
        table,
        await sqlRows(stages.db, `SELECT 1 AS one FROM ${table} WHERE store = $1`, [STORE]),
      ]).toEqual([table, []]);
    expect(stages.lines).toContainEqual(expect.objectContaining({ fields: { from: STORE, to: 'north' } }));
  });

  it('is refused by a command that only reads, which says what to do', async () => {
    stages.storeKey = 'north';
    await expect(settle('refuse')).rejects.toMatchObject({
      code: 'misconfigured',
      message:
        'stores.north was stores.main so far. Start the daemon or a sync to move its rows to the new key',
    });
    expect(await stages.keys.all()).toContainEqual({ identity: `shopify:${SHOP}`, store: STORE });
  });

  it('is refused while another process works on a run under the old key', async () => {
    const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    await stages.runs.claim(id, 'lease');
    stages.storeKey = 'north';
    await expect(settle()).rejects.toThrow('another process still works on a run of it');
    await stages.expireLease(id);
    await settle();
    expect(await stages.runs.get(id)).toMatchObject({ store: 'north' });
  });

  it('gets no run from a process that still has the old key', async () => {
    await settleRenamed();
    stages.storeKey = STORE;
    await expect(stages.sync()).rejects.toThrow('are kept as stores.north by now');
  });

  it('is moved once when several processes start together', async () => {
    stages.storeKey = 'north';
    await Promise.all(Array.from({ length: 5 }, () => settle()));
    expect(stages.lines.filter(({ message }) => message.includes('follow its shop'))).toHaveLength(1);
  });

  it('takes its rows back where an older release already ran under the new key', async () => {
    await stages.db.affected(
      `INSERT INTO sync_run (store, workspace, kind, trigger, state, slot) VALUES ('north', 'default', 'full', 'schedule', 'queued', now()),
         ('main', 'default', 'full', 'schedule', 'queued', now())`,
    );
    await stages.db.affected(`INSERT INTO store_state (store, watermark) VALUES ('north', now())`);
    await settleRenamed();
    expect(await stages.state.store('north')).toMatchObject({ watermark: null });
    const states = await sqlRows(stages.db, 'SELECT store, state FROM sync_run ORDER BY created_at, state');
    expect(states).toEqual([
      { store: 'north', state: 'succeeded' },
      { store: 'north', state: 'failed' },
      { store: 'north', state: 'queued' },
    ]);
  });
});

describe('a key that names another shop', () => {
  it('is refused, and changes nothing', async () => {
    await settle();
    const { settings } = stages.connections.store(STORE);
    const moved = [{ key: STORE, settings: { ...settings, shop: 'another.myshopify.com' } }];
    await expect(settleStoreKeys(stages.keys, moved, 'move', stages.logger)).rejects.toThrow(
      `stores.main holds the rows of shopify:${SHOP} and cannot serve shopify:another.myshopify.com`,
    );
    expect(await stages.keys.all()).toContainEqual({ identity: `shopify:${SHOP}`, store: STORE });
  });
});

describe('a store whose rows are kept under another key by now', () => {
  const SLOT = new Date('2026-11-20T02:00:00Z');
  let schedulers: Schedulers;
  beforeEach(async () => {
    schedulers = new Schedulers(stages);
    const { kind, shop } = stages.connections.store(STORE).settings;
    await stages.db.affected('INSERT INTO store_state (store, identity) VALUES ($1, $2)', [
      'renamed',
      shopIdentity(kind, shop),
    ]);
  });

  afterEach(() => {
    schedulers.stop();
  });

  it('keeps no other store from the runs of its events', async () => {
    await stages.db.affected(
      `INSERT INTO announced_product (external_id, store, store_id, announced_at)
       SELECT 'shopify:' || each || ':1', each, '1', now() - interval '1 minute' FROM unnest($1::text[]) AS each`,
      [[STORE, OTHER_STORE]],
    );
    await schedulers.schedules(SLOT).runEvents();
    expect(await stages.runs.latest(OTHER_STORE, 20)).toMatchObject([{ trigger: 'event' }]);
    expect(await stages.runs.latest(STORE, 20)).toEqual([]);
    expect(schedulers.warned).toEqual([expect.stringContaining(`events of store ${STORE}`)]);
  });

  it('keeps no other store from the run of its slot that was put off', async () => {
    for (const store of [STORE, OTHER_STORE]) await stages.requests.putOffSlot(store, SLOT);
    await schedulers.schedules(SLOT).runPutOffSlots();
    expect(await stages.runs.latest(OTHER_STORE, 20)).toMatchObject([{ slot: SLOT }]);
    expect(await stages.runs.latest(STORE, 20)).toEqual([]);
  });
});

it('a key that was freed and given to another shop without a restart gets no run', async () => {
  await stages.sync();
  await stages.db.affected('UPDATE store_state SET identity = $1', ['shopify:earlier.myshopify.com']);
  await expect(stages.sync()).rejects.toThrow('stores.main holds the rows of shopify:earlier.myshopify.com');
});

describe('the rename', () => {
  it('knows every table with the key of a store', () => {
    const tables = stages.db.dataSource.entityMetadatas
      .filter(({ columns }) => columns.some(({ propertyName }) => propertyName === 'store'))
      .map(({ tableName }) => tableName);
    expect(ENTITIES.length).toBeGreaterThan(tables.length);
    expect([...TABLES_OF_STORES, ...TABLES_WITH_UNIQUE_STORE].sort()).toEqual(tables.sort());
  });
});
