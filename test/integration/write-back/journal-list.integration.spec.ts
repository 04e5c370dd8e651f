import { beforeEach, describe, expect, it } from '@jest/globals';
import type { WriteBackFilter } from '../../../src/domain/write-back-filter.js';
import { ListingRepository } from '../../../src/persistence/listing.repository.js';
import { snapshot, withSku } from '../../support/fake-store.js';
import { deliver, deliverResult, resultOf } from '../../support/results.js';
import { PERSON, Stages } from '../../support/stages.js';

const PRODUCTS = [1, 2, 3];
const stages = await Stages.open();
let run: string;
beforeEach(async () => {
  await stages.reset();
  for (const id of PRODUCTS) stages.store.put(snapshot(id));
  run = (await stages.sync()).id;
});

let results = 0;

/** Delivers a newer result of the open task, whose run is then the run of the write-back. */
function generated(id: number): Promise<string> {
  results += 1;
  return deliverResult(stages, { id, createdAt: new Date(Date.now() + results * 1000) });
}

async function applied(product: number): Promise<string> {
  const id = await generated(product);
  expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  return id;
}

describe('the journal', () => {
  const list = async (filter: WriteBackFilter) => {
    const listing = new ListingRepository(stages.db);
    const { rows } = await listing.writeBacks({ limit: 50, offset: 0, order: 'desc' }, filter);
    return rows.map((row) => row.externalId);
  };
  const name = (id: number) => snapshot(id).externalId;

  it('is ordered by what happened last', async () => {
    const first = await applied(1);
    await applied(2);
    expect(await list({})).toEqual([name(2), name(1)]);
    await stages.reverter.revert(first, PERSON);
    expect(await list({})).toEqual([name(1), name(2)]);
  });

  it('is filtered by store, run, field, outcome, actor and time', async () => {
    await applied(1);
    const edited = await applied(2);
    await stages.reverter.revert(edited, PERSON);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect(await list({ store: 'other' })).toEqual([]);
    expect(await list({ run })).toHaveLength(2);
    expect(await list({ actor: 'somebody' })).toEqual([name(2)]);
    expect(await list({ field: 'title', outcome: 'written' })).toEqual([name(1)]);
    expect(await list({ field: 'title' })).toHaveLength(2);
    expect(await list({ field: 'seo.title' })).toEqual([]);
    expect(await list({ from: tomorrow })).toEqual([]);
    expect(await list({ to: tomorrow, state: 'applied' })).toEqual([name(1)]);
  });

  it('keeps the sources and the credits of the result', async () => {
    const body = await resultOf(stages, 1, { remaining: 5 });
    const urls = [
      {
        id: 1,
        url: 'https://example.com/a',
        status: 'SUCCESS',
        relevant_score: 0.9,
        is_user_provided_link: true,
      },
      { id: 2, url: ' ', relevant_score: 0.1 },
    ];
    const withUrls = { ...body, task: { ...(body as { task: object }).task, urls } };
    const { writeBackId } = await deliver(stages, withUrls);
    expect(await stages.writeBacks.get(writeBackId!)).toMatchObject({
      sources: [{ url: 'https://example.com/a', score: 0.9, status: 'SUCCESS', given: true }],
      creditsConsumed: 1,
      runId: run,
    });
  });
});

describe('a filter by text or by gate', () => {
  const counted = async (filter: WriteBackFilter) => {
    const listing = new ListingRepository(stages.db);
    const { total } = await listing.writeBacks({ limit: 50, offset: 0, order: 'desc' }, filter);
    return { total, byState: await listing.writeBackCounts(filter) };
  };

  it.each([
    ['part of a title', 'DUCT 2', 1],
    ['part of a handle', 'product-', 3],
    ['part of the external_id', snapshot(3).externalId.slice(-6), 1],
    ['a whole SKU', 'SKU-1', 1],
    ['part of a SKU', 'SKU', 0],
    ['a percent sign as it is', '%', 0],
  ])(
    'by %s selects the same rows in the list, in the counts of the tabs and in a bulk change',
    async (_what, search, count) => {
      stages.store.put(withSku(snapshot(1), 'SKU-1'));
      await stages.sync();
      for (const id of PRODUCTS) await generated(id);
      await stages.db.affected(`UPDATE write_back SET state = 'pending_review'`);
      expect(await counted({ search })).toEqual({
        total: count,
        byState: count === 0 ? {} : { pending_review: count },
      });
      expect((await stages.bulkChanges.matching('approve', { search }, null)).count).toBe(count);
    },
  );

  it('by a gate selects what that gate holds back, and no other', async () => {
    const [id] = [await generated(1), await generated(2)];
    const findings = JSON.stringify([{ gate: 'numbers', target: 'title', found: null, detail: '25 W' }]);
    await stages.db.affected('UPDATE write_back SET gate_findings = $2 WHERE id = $1', [id, findings]);
    expect((await counted({ gate: 'numbers' })).total).toBe(1);
    expect((await counted({ gate: 'shrink' })).total).toBe(0);
  });

  it('by state leaves the counts of the other tabs as they are', async () => {
    await applied(1);
    await generated(2);
    expect((await counted({ state: 'applied' })).byState).toEqual({ applied: 1, ready: 1 });
  });
});
