import { beforeEach, describe, expect, it } from '@jest/globals';
import { Plan } from '../../../src/persistence/plan.js';
import { idRow } from '../../../src/persistence/rows.js';
import { dryRunOf } from '../../support/dry-run-of.js';
import { snapshot } from '../../support/fake-store.js';
import { ListingNights } from '../../support/listing-nights.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
const nights = new ListingNights(stages);
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
});

it('a dry run leaves no trace of its listing', async () => {
  stages.store.put(snapshot(1));
  await nights.run(STORE);
  await nights.forget();
  const before = await stages.contents();
  await dryRunOf(stages);
  expect(await stages.contents()).toBe(before);
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
