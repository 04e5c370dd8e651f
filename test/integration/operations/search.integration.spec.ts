import { beforeAll, describe, expect, it } from '@jest/globals';
import { SearchOperations } from '../../../src/operations/search.js';
import { HistoryRepository } from '../../../src/persistence/history.repository.js';
import { ListingRepository } from '../../../src/persistence/listing.repository.js';
import { ReportRepository } from '../../../src/persistence/report.repository.js';
import { SearchRepository } from '../../../src/persistence/search.repository.js';
import { snapshot, withSku } from '../../support/fake-store.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
let runId: string;
beforeAll(async () => {
  await stages.reset();
  stages.store.put(snapshot(1, { title: 'Red lamp' }), snapshot(2, { title: 'Blue lamp' }));
  stages.store.put(withSku(snapshot(3, { title: 'Sofa' }), 'SKU-1'));
  runId = (await stages.sync()).id;
});

const listing = (): ListingRepository => new ListingRepository(stages.db);
const search = (text: string) =>
  new SearchOperations(
    ...([stages.connections, listing(), new HistoryRepository(stages.db)] as const),
    new SearchRepository(stages.db),
  ).search(text);
const labels = async (text: string) => (await search(text)).products.map(({ label }) => label).sort();

describe('the search over everything', () => {
  it.each([
    ['part of a title', 'lamp', ['Blue lamp', 'Red lamp']],
    ['a handle', 'product-3', ['Sofa']],
    ['an external_id', snapshot(3).externalId, ['Sofa']],
    ['the external_id of a variant', `${snapshot(3).externalId}:77`, ['Sofa']],
  ])('finds products by %s', async (_what, text, expected) => {
    expect(await labels(text)).toEqual(expected);
  });

  it('finds products by a whole SKU', async () => {
    expect(await labels('SKU-1')).toContain('Sofa');
  });

  it.each([36, 8, 13])('finds a run by the first %d signs of its id', async (length) => {
    const { rows } = await search(runId.slice(0, length));
    expect(rows).toMatchObject([{ kind: 'run', id: runId, about: STORE }]);
  });

  it.each(['abc', 'zzzzzzzz', 'a'.repeat(40), '1234-5678', "'; --"])('finds no row by %j', async (text) => {
    expect((await search(text)).rows).toEqual([]);
  });

  it('finds stores by a part of their key', async () => {
    expect((await search('MAI')).stores.map(({ store }) => store)).toEqual([STORE]);
  });
});

describe('the lists', () => {
  it('count their tabs under the rest of the filter, and filter by content and day', async () => {
    expect(await listing().counts('products', { state: 'linked', search: 'lamp' })).toEqual(
      await listing().counts('products', { search: 'lamp' }),
    );
    const page = { limit: 10, offset: 0, order: 'desc' } as const;
    expect((await listing().products(page, { content: 'requested' })).total).toBe(3);
    expect((await listing().products(page, { content: 'with' })).total).toBe(0);
    expect((await listing().products(page, { content: 'owed' })).total).toBe(0);
    const today = new Date().toISOString().slice(0, 10);
    expect((await listing().runs(page, { from: today, to: today })).total).toBe(1);
    expect((await listing().runs(page, { to: '2020-01-01' })).total).toBe(0);
    expect(await listing().counts('runs', { store: STORE })).toEqual({ succeeded: 1 });
  });
});

describe('a report', () => {
  it('is made once at a time for a kind and a store, and ends when its process is silent', async () => {
    const reports = new ReportRepository(stages.db);
    const id = (await reports.begin('drift', STORE, 'somebody'))!;
    expect(await reports.begin('drift', STORE, 'other')).toBeNull();
    expect(await reports.seen(id, 7)).toBe(true);
    await stages.db.affected(`UPDATE report SET seen_at = now() - interval '2 minutes' WHERE id = $1`, [id]);
    expect(await reports.get(id)).toMatchObject({
      state: 'failed',
      progress: 7,
      error: 'the process that made it stopped; ask again',
    });
    const next = (await reports.begin('drift', STORE, 'other'))!;
    await reports.done(next, 9, { checked: 9 });
    expect(await reports.newest('drift', STORE)).toMatchObject({ id: next, state: 'done', progress: 9 });
  });

  it('whose process died has failed, also for whoever looks at the newest one', async () => {
    const reports = new ReportRepository(stages.db);
    const id = await reports.begin('check', '', 'admin');
    expect(await reports.newest('check', '')).toMatchObject({ id, state: 'running' });
    await stages.db.affected(`UPDATE report SET seen_at = now() - interval '2 minutes'`);
    expect(await reports.newest('check', '')).toMatchObject({ id, state: 'failed' });
  });
});
