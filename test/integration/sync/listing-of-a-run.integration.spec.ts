import { beforeEach, describe, expect, it } from '@jest/globals';
import { Plan } from '../../../src/persistence/plan.js';
import { idRow } from '../../../src/persistence/rows.js';
import { Gate } from '../../support/call-script.js';
import { otherSnapshot, snapshot } from '../../support/fake-store.js';
import { ListingNights } from '../../support/listing-nights.js';
import { OTHER_STORE, Stages, STORE, WORKSPACE } from '../../support/stages.js';
import { until } from '../../support/until.js';

const stages = await Stages.open();
const nights = new ListingNights(stages);
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };

  stages.store.put(snapshot(1), snapshot(2));
  await nights.run(STORE);
  await nights.forget();
  nights.pagesRead();
});

describe('while its store makes the export, a full run', () => {
  /** Holds the next look at the export, or the one after so many. */
  function gateAtExport(polls = 0): Gate {
    const gate = new Gate();
    if (polls > 0) stages.store.script.before('pollExport', () => undefined, polls);
    stages.store.script.before('pollExport', gate.hold);
    return gate;
  }

  it('has the listing read, and uses it', async () => {
    const gate = gateAtExport();
    const reading = nights.run(STORE);
    await gate.reached;
    await nights.listingIsThere();
    const early = nights.pagesRead();
    gate.open();
    expect(await reading).toMatchObject({ state: 'succeeded', notCompared: null, counts: { unchanged: 2 } });
    expect(early).toBeGreaterThan(0);
    expect(nights.pagesRead()).toBe(0);
    expect(await nights.listings()).toHaveLength(1);
  });

  it('uses it however long the export takes, and a run of a person does', async () => {
    for (const work of [() => nights.run(STORE), () => stages.sync()]) {
      await nights.forget();
      const gate = gateAtExport();
      const reading = work();
      await gate.reached;
      await nights.listingIsThere();
      await stages.db.dataSource.query(`UPDATE catalog_listing SET read_at = read_at - interval '1 day'`);
      const early = nights.pagesRead();
      gate.open();
      expect(await reading).toMatchObject({ state: 'succeeded', notCompared: null });
      expect(early).toBeGreaterThan(0);
      expect(nights.pagesRead()).toBe(0);
    }
  });

  it('reads it again where it could not be read then', async () => {
    stages.catalog.script.before('listProducts', () => {
      throw new Error('the catalog is away');
    });
    const gate = gateAtExport();
    const reading = nights.run(STORE);
    await gate.reached;
    await until('the line of the log', () =>
      stages.lines.some(({ message }) => message === 'the catalog’s listing could not be read early'),
    );
    expect(await nights.listings()).toEqual([]);
    gate.open();
    expect(await reading).toMatchObject({ state: 'succeeded', notCompared: null });
    expect(await nights.listings()).toHaveLength(1);
  });

  it('never changes a foreign product that was created after the listing was read', async () => {
    const gate = gateAtExport();
    stages.store.put(snapshot(3));
    const { sku } = stages.catalog.of(snapshot(1).externalId) ?? {};
    const reading = nights.run(STORE);
    await gate.reached;
    await nights.listingIsThere();
    const foreign = stages.catalog.hold({
      external_id: 'erp:1',
      sku: sku?.replace('1', '3') ?? '',
      name: 'Theirs',
    });
    gate.open();
    expect(await reading).toMatchObject({ counts: { created: 1 } });
    expect(stages.catalog.products.get(foreign.id)).toMatchObject({ name: 'Theirs', external_id: 'erp:1' });
  });

  it('does not have it read where nothing of the store is linked', async () => {
    stages.otherStore.put(otherSnapshot(7, 'SKU-7'));
    const gate = new Gate();
    stages.otherStore.script.before('pollExport', gate.hold);
    const reading = nights.run(OTHER_STORE);
    await gate.reached;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(nights.pagesRead()).toBe(0);
    gate.open();
    expect(await reading).toMatchObject({ counts: { created: 1 } });
  });

  it('ends the reading when it is stopped, and leaves no rows of it', async () => {
    const gate = gateAtExport();
    const page = nights.gateAtPage(1);
    const stop = new AbortController();
    const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'schedule' });
    const working = stages.worker.work(id, stop.signal);
    await Promise.all([gate.reached, page.reached]);
    stop.abort(new Error('the worker stops'));
    gate.open();
    page.open();
    await working;
    expect(await nights.listings()).toEqual([]);
  });

  it('ends the reading when its export fails, and leaves no rows of it', async () => {
    const page = nights.gateAtPage(1);
    stages.store.script.before('pollExport', async () => {
      await page.reached;
      page.open();
      throw new Error('the store is away');
    });
    expect(await nights.run(STORE)).toMatchObject({ state: 'failed' });
    expect(await nights.listings()).toEqual([]);
  });
});

describe('a listing that a dry run has read', () => {
  /** A plan without a read of the store. `isDry: false`: as a run makes it. */
  async function openPlan(isDry = true): Promise<Plan> {
    const run = await stages.plans.begin(STORE, WORKSPACE, { isKept: false });
    return Plan.of(stages.db, { ...run, isDry });
  }
  async function listingReadBy(plan: Plan): Promise<string> {
    const { id } = await stages.db.one(
      idRow,
      'INSERT INTO catalog_listing (workspace, read_at) VALUES ($1, now()) RETURNING id',
      [WORKSPACE],
    );
    await plan.hasRead(id);
    return id;
  }

  it('goes with the last of the dry runs that use it at once', async () => {
    const [first, second] = [await openPlan(), await openPlan()];
    await second.useListing(await listingReadBy(first));
    await first.forgetListings();
    expect(await nights.listings()).toHaveLength(1);
    await second.forgetListings();
    expect(await nights.listings()).toEqual([]);
  });

  it('stays for others once a run has used it', async () => {
    const [first, run] = [await openPlan(), await openPlan(false)];
    await run.useListing(await listingReadBy(first));
    await run.forgetListings();
    await first.forgetListings();
    expect(await nights.listings()).toHaveLength(1);
  });
});
