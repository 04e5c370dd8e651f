import { beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import type { z } from 'zod';
import { GroundLooks } from '../../../src/operations/outages.js';
import { OverviewReader } from '../../../src/operations/overview.js';
import { CreditRepository } from '../../../src/persistence/credit.repository.js';
import { Database, type SqlValue } from '../../../src/persistence/database.js';
import { DeliveryRepository } from '../../../src/persistence/delivery.repository.js';
import { StateRepository } from '../../../src/persistence/state.repository.js';
import { ListingRepository } from '../../../src/persistence/listing.repository.js';
import { OwedRepository } from '../../../src/persistence/owed.repository.js';
import { StatusRepository } from '../../../src/persistence/status.repository.js';
import { makeStore, Connections } from '../../../src/connections/connections.js';
import { Stages } from '../../support/stages.js';

const stages = await Stages.open();
beforeAll(async () => {
  await stages.reset();
  await seed();
});

const STORES = 1000;
const PRODUCTS_EACH = 10;

/** Stores `s0` to `s999` with ten products each, of which four have content, and one run. Each tenth store is paused. */
async function seed(): Promise<void> {
  const { db } = stages;
  await db.affected(
    `INSERT INTO store_product (external_id, store, workspace, store_id, label, state, catalog_id, newest_result_at, first_result_at)
     SELECT 'shopify:s' || s || ':' || p, 's' || s, 'default', p, 'Product ' || p, 'linked', s * 1000 + p,
       CASE WHEN p < 4 THEN now() END, CASE WHEN p < 4 THEN now() END
     FROM generate_series(0, $1::int - 1) AS s, generate_series(0, $2::int - 1) AS p`,
    [STORES, PRODUCTS_EACH],
  );
  await db.affected(
    `INSERT INTO sync_run (store, workspace, kind, trigger, state, counts, finished_at)
     SELECT 's' || s, 'default', 'full', 'schedule', 'succeeded', '{"seen": 10}', now() FROM generate_series(0, $1::int - 1) AS s`,
    [STORES],
  );
  await db.affected(
    `INSERT INTO store_state (store, paused_scope, paused_code, paused_reason, paused_since, paused_until)
     SELECT 's' || s, 'everything', 'credentials_refused', 'refused', now(), now() FROM generate_series(0, $1::int - 1, 10) AS s`,
    [STORES],
  );
  await db.affected(
    `INSERT INTO write_back (store, workspace, external_id, content_fingerprint, result_at, state, intended, credits_consumed, created_at)
     SELECT 's' || s, 'default', 'shopify:s' || s || ':0', 'x', now(), 'pending_review', '[]', 2, now() - interval '1 day'
     FROM generate_series(0, $1::int - 1) AS s`,
    [STORES],
  );
}

/** Counts the statements that pass through it. */
class Counting extends Database {
  statements = 0;

  override async read<T>(
    schema: z.ZodType<T>,
    sql: string,
    values: readonly SqlValue[] = [],
    runner?: QueryRunner,
  ): Promise<T[]> {
    this.statements += 1;
    return super.read(schema, sql, values, runner);
  }
}

function connectionsTo(count: number, minCreditsRemaining: number): Connections {
  const [given] = stages.connections.workspaces;
  const [store] = stages.connections.stores;
  if (given === undefined || store === undefined) throw new Error('no connections');
  const generation = { ...given.settings.generation, minCreditsRemaining };
  const workspace = { ...given, settings: { ...given.settings, generation } };
  const keys = Array.from({ length: count }, (_unused, index) => `s${index}`);
  return new Connections(
    [workspace],
    keys.map((key) =>
      makeStore(key, { ...store.settings, shop: `${key}.example` }, store.connector, workspace),
    ),
  );
}

function readers(count: number, minCreditsRemaining = 0) {
  const db = new Counting(stages.db.dataSource);
  const [connections, summary] = [connectionsTo(count, minCreditsRemaining), new StatusRepository(db)];
  const [deliveries, state] = [new DeliveryRepository(db), new StateRepository(db)];
  return {
    db,
    overview: new OverviewReader(
      ...([connections, summary, new OwedRepository(db), new CreditRepository(db)] as const),
      ...([deliveries, state, new GroundLooks(db, stages.clock), stages.clock] as const),
    ),
  };
}

describe('with many stores', () => {
  it('the overview has a bounded list, those that need a person first, and the totals of all', async () => {
    const { overview } = readers(STORES);
    const { stores, attention, work, allStores } = await overview.read({ offset: 0 });
    expect([stores.items.length, stores.total, allStores]).toEqual([25, STORES, STORES]);
    expect(stores.items.every(({ health }) => health.state === 'paused')).toBe(true);
    expect(stores.items[0]).toMatchObject({
      coverage: { products: 10, withContent: 4 },
      ...{ forReview: 1, owed: 0, lastRun: { status: 'succeeded' } },
    });
    expect(stores.items[0]?.days).toHaveLength(1);
    expect(work.forReview).toBe(STORES);
    expect(attention.filter(({ kind }) => kind === 'store_paused')).toHaveLength(STORES / 10);
  });

  it('the pages of the overview’s list follow each other, up to the last store', async () => {
    const { overview } = readers(STORES);
    const pages = await Promise.all([0, 25, STORES - 25, STORES].map((offset) => overview.read({ offset })));
    const keys = pages.flatMap(({ stores }) => stores.items.map(({ store }) => store));
    expect(pages.map(({ stores }) => stores.items.length)).toEqual([25, 25, 25, 0]);
    expect(new Set(keys).size).toBe(75);
    expect(keys.at(-1)).toBe('s999');
  });

  it('the overview finds stores by a part of their key or shop, and those that need a person', async () => {
    const { overview } = readers(STORES);
    const found = await overview.read({ offset: 0, search: 'S29' });
    expect(found.stores.items.map(({ store }) => store).sort()).toEqual(
      ['s29', ...Array.from({ length: 10 }, (_unused, index) => `s29${index}`)].sort(),
    );
    expect((await overview.read({ offset: 0, onlyAttention: true })).stores.total).toBe(STORES / 10);
  });

  it('a failed generation needs a person only while its product is in the store', async () => {
    const { db } = stages;
    await db.affected(
      `INSERT INTO generation_task (external_id, store, workspace, catalog_id, state, next_poll_at, settled_at)
       SELECT 'shopify:s1:' || p, 's1', 'default', p, CASE WHEN p < 7 THEN 'failed' ELSE 'no_urls' END, now(), now()
       FROM generate_series(5, 8) AS p`,
    );
    await db.affected(
      `UPDATE store_product SET state = 'orphaned' WHERE external_id IN ('shopify:s1:6', 'shopify:s1:8')`,
    );
    const { overview } = readers(STORES);
    const { work, attention } = await overview.read({ offset: 0 });
    expect(work).toMatchObject({ givenUp: 1, noSources: 1 });
    expect(attention.filter(({ kind }) => kind === 'generations_given_up')).toMatchObject([{ count: 1 }]);
    const status = await new StatusRepository(db).unsuccessful(['s1'], 10);
    expect(status.get('s1')?.map(({ externalId }) => externalId)).toEqual(['shopify:s1:5', 'shopify:s1:7']);
    for (const content of ['failed', 'no_sources'] as const)
      expect(
        await new ListingRepository(db).products({ limit: 9, offset: 0, order: 'desc' }, { content }),
      ).toMatchObject({ total: 1 });
  });

  it('credits have a burn rate from the results, and no forecast in the first week', async () => {
    await stages.state.reportCredits('default', 3000, stages.clock.now());
    const { workspaces } = await readers(STORES).overview.read({ offset: 0 });
    expect(workspaces.items[0]?.credits).toMatchObject({ remaining: 3000, perDay: STORES, daysLeft: null });
  });

  it.each([
    [10, ['credits_out']],
    // A result costs two.
    [11, ['credits_out']],
    [12, []],
  ])(
    'with %d credits, of which 10 have to remain, the overview has %j about them',
    async (credits, kinds) => {
      await stages.state.reportCredits('default', credits, stages.clock.now());
      const { attention } = await readers(1, 10).overview.read({ offset: 0 });
      expect(attention.map(({ kind }) => kind).filter((kind) => kind.startsWith('credits'))).toEqual(kinds);
    },
  );

  it('the overview asks no more of the database than with few', async () => {
    const statements = async (count: number) => {
      const { db, overview } = readers(count);
      await overview.read({ offset: 0 });
      return db.statements;
    };
    expect(await statements(STORES)).toBe(await statements(2));
  });

  it('the coverage of a day counts the products that were there, and those with content by then', async () => {
    const { db, clock } = stages;
    const day = (ago: number) =>
      new Date(clock.now().getTime() - ago * 86_400_000).toISOString().slice(0, 10);
    await db.affected(
      `UPDATE store_product SET first_seen_at = now() - interval '40 days', first_result_at = now() - interval '1 day',
         orphaned_at = CASE WHEN store_id = '0' THEN now() - interval '1 day' END WHERE store = 's1' AND store_id < '4'`,
    );
    expect(await new StatusRepository(db).days(['s1', 'absent'], day(2))).toEqual([
      { store: 's1', day: day(2), products: 4, withContent: 0 },
      { store: 's1', day: day(1), products: 3, withContent: 3 },
      { store: 's1', day: day(0), products: 9, withContent: 3 },
    ]);
  });
});
