import { beforeEach, describe, expect, it } from '@jest/globals';
import { StoreProbe } from '../../../src/connections/store-probe.js';
import { StoreHealthOperations } from '../../../src/operations/store-health.js';
import { FakeCatalog, refusal } from '../../support/fake-catalog.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, resultOf, writeAll } from '../../support/results.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
});

const ours = (id: number): string => snapshot(id).externalId;
const newest = async (id: number) => (await stages.tasks.newest(ours(id)))!;
const writeBacks = (id: number) => stages.writeBacks.forProduct(ours(id));

async function poll(): Promise<string[]> {
  await stages.db.affected(`UPDATE generation_task SET next_poll_at = now() WHERE state = 'requested'`);
  const ids = await stages.poller.pollDue(stages.workspace, 500);
  for (const id of ids) await stages.interpreter.interpret(id);
  return ids;
}

async function sweep(): Promise<string[]> {
  const ids = await stages.poller.sweepResults(stages.workspace);
  for (const id of ids) await stages.interpreter.interpret(id);
  return ids;
}

/** A product with content of an earlier generation that we adopt, and for which we then ask. */
async function askedWithOldContent(): Promise<number> {
  const held = stages.catalog.hold({
    ...{ sku: 'SKU-1', name: 'Old text', html_description: '<p>Old text</p>' },
    sections: [{ code: 'fit', value: 'slim' }],
  });
  stages.settings = { store: { writeBack: { sections: { namespace: 'catalog' } } }, workspace: {} };
  stages.store.put(snapshot(1));
  stages.catalog.taskIds = 'none';
  await stages.sync();
  return held.id;
}

describe('a task that cannot be read', () => {
  it('is not closed by content that was there before, and is closed by new content', async () => {
    const id = await askedWithOldContent();
    expect((await newest(1)).askedFields).not.toBeNull();
    expect(await poll()).toEqual([]);
    expect(await newest(1)).toMatchObject({ state: 'requested' });
    stages.catalog.change(id, { sections: [{ code: 'fit', value: 'wide' }] });
    expect(await poll()).toHaveLength(1);
    expect(await newest(1)).toMatchObject({ state: 'succeeded', settledBy: 'poll' });
  });

  it('is not closed by an edit that we push while it is open, however the service spells it', async () => {
    stages.store.put(snapshot(1));
    stages.catalog.taskIds = 'none';
    await stages.sync();
    const id = Number((await stages.link(1)).catalogId);
    stages.catalog.script.after('updateProduct', () => {
      stages.catalog.change(id, { name: 'EDITED' });
    });
    stages.store.edit('1', { title: 'Edited' });
    await stages.sync();
    stages.catalog.change(id, { name: 'Edited' });
    expect(await poll()).toEqual([]);
    expect(await newest(1)).toMatchObject({ state: 'requested' });
  });

  it('is asked about without a further request where the answer to the push showed the product', async () => {
    stages.store.put(snapshot(1), snapshot(2));
    await stages.sync();
    expect(stages.catalog.script.count('getProduct')).toBe(0);
    expect((await newest(1)).askedFields).toMatchObject({ name: expect.any(String) });
  });

  it('of a product that was pushed in a language is compared with what it held in that language', async () => {
    stages.settings = { store: {}, workspace: { locale: 'fr' } };
    stages.store.put(snapshot(1));
    await stages.sync();
    expect(stages.catalog.script.count('getProduct')).toBe(1);
    expect((await newest(1)).askedFields).not.toBeNull();
  });
});

describe('a result that was generated elsewhere', () => {
  const settled = async (): Promise<number> => {
    stages.store.put(snapshot(1), snapshot(2));
    await stages.sync();
    for (const id of [1, 2]) await deliver(stages, await resultOf(stages, id));
    for (const id of [1, 2])
      stages.catalog.change(Number((await stages.link(id)).catalogId), {
        ...{ name: `Generated ${id}`, html_description: `<p>Generated ${id}</p>` },
      });
    await writeAll(stages);
    return Number((await stages.link(1)).catalogId);
  };

  it('reaches the store by the sweep, once', async () => {
    const id = await settled();
    expect(await sweep()).toEqual([]);
    stages.catalog.change(id, { name: 'By a person', html_description: '<p>By a person</p>' });
    expect(await sweep()).toHaveLength(1);
    await writeAll(stages);
    expect(stages.store.at('1').title).toBe('By a person');
    expect(await sweep()).toEqual([]);
    expect(await writeBacks(1)).toHaveLength(2);
  });

  it('is left to the poll while a task of the product is open', async () => {
    stages.store.put(snapshot(1));
    await stages.sync();
    stages.catalog.change(Number((await stages.link(1)).catalogId), { name: 'Generated' });
    expect(await sweep()).toEqual([]);
  });

  it('is found for the newest page and one further page a round, and on more pages while there is something new', async () => {
    const id = await settled();
    stages.catalog.pageSize = 1;
    stages.catalog.script.forget();
    await sweep();
    expect(stages.catalog.script.operations()).toEqual(['listProducts', 'listProducts']);
    stages.catalog.change(id, { name: 'New 1' });
    stages.catalog.change(Number((await stages.link(2)).catalogId), { name: 'New 2' });
    expect(await sweep()).toHaveLength(2);
  });

  it('is what an adopted product gets after its adoption, not what it held before', async () => {
    const id = await askedWithOldContent();
    await stages.db.affected(`UPDATE generation_task SET state = 'failed'`);
    expect(await sweep()).toEqual([]);
    stages.catalog.change(id, { sections: [{ code: 'fit', value: 'wide' }] });
    expect(await sweep()).toHaveLength(1);
  });

  it('of a product that is not ours is left alone', async () => {
    stages.catalog.hold({ name: 'Foreign', html_description: '<p>Foreign</p>' });
    expect(await sweep()).toEqual([]);
  });

  it.each(['none of ours', 'ours without news'])(
    'is found behind newest pages with %s, however many there are',
    async (kind) => {
      if (kind === 'ours without news') stages.store.put(...[3, 4, 5, 6, 7, 8].map((id) => snapshot(id)));
      await settled();
      await stages.db.affected(`UPDATE generation_task SET state = 'failed' WHERE state = 'requested'`);
      for (let each = 0; kind === 'none of ours' && each < 510; each += 1)
        stages.catalog.hold({ name: `Foreign ${each}`, html_description: '<p>Foreign</p>' });
      stages.catalog.pageSize = kind === 'none of ours' ? 100 : 2;
      stages.catalog.change(Number((await stages.link(1)).catalogId), { name: 'By a person' });
      const { poller } = stages;
      for (let round = 0; round < 4; round += 1) {
        for (const id of await poller.sweepResults(stages.workspace)) await stages.interpreter.interpret(id);
        stages.clock.advance(61_000);
      }
      await writeAll(stages);
      expect(stages.store.at('1').title).toBe('By a person');
    },
  );

  it('is looked for once a poll interval; a refusal makes the sweep wait twice as long, five minutes at most', async () => {
    await settled();
    const { poller } = stages;
    const looks = () => stages.catalog.script.count('listProducts');
    stages.catalog.script.forget();
    await poller.sweepResults(stages.workspace);
    await poller.sweepResults(stages.workspace);
    expect(looks()).toBe(1);
    stages.catalog.script.before('listProducts', refusal('auth'), 6);
    for (const [waitMs, count] of [
      [61_000, 2],
      [119_000, 2],
      [2_000, 3],
      [239_000, 3],
      [2_000, 4],
      [301_000, 5],
      [301_000, 6],
      [301_000, 7],
      [301_000, 8],
    ] as const) {
      stages.clock.advance(waitMs);
      await poller.sweepResults(stages.workspace).catch(() => undefined);
      expect(looks()).toBe(count);
    }
    stages.clock.advance(61_000);
    await poller.sweepResults(stages.workspace);
    expect(looks()).toBe(9);
  });

  it('is looked for at once, after faults, when a person retries the store in another process', async () => {
    await settled();
    const { poller } = stages;
    const looks = () => stages.catalog.script.count('listProducts');
    stages.catalog.script.forget();
    stages.catalog.script.before('listProducts', refusal('auth'));
    await expect(poller.sweepResults(stages.workspace)).rejects.toMatchObject({ code: 'auth' });
    await poller.sweepResults(stages.workspace);
    expect(looks()).toBe(1);
    const { connections, pauses, state, identities } = stages;
    const probe = new StoreProbe(pauses);
    await new StoreHealthOperations(connections, pauses, probe, state, identities).retry(STORE);
    await poller.sweepResults(stages.workspace);
    await poller.sweepResults(stages.workspace);
    expect(looks()).toBe(2);
  });

  it('is looked for at once after a reload that brings another token', async () => {
    await settled();
    const { poller } = stages;
    stages.catalog.script.forget();
    stages.catalog.script.before('listProducts', refusal('auth'));
    await expect(poller.sweepResults(stages.workspace)).rejects.toMatchObject({ code: 'auth' });
    const before = stages.catalog;
    const mended = Object.assign(new FakeCatalog(), { products: before.products });
    await poller.sweepResults(stages.workspace);
    expect(before.script.count('listProducts')).toBe(1);
    stages.catalog = mended;
    await poller.sweepResults(stages.workspace);
    expect(mended.script.count('listProducts')).toBe(1);
  });
});

describe('a text of a further language that alone is generated again', () => {
  const inFrench = (name: string) => stages.catalog.translated.set('fr', { name });
  const french = () => stages.store.translation('1', 'fr:title');
  const sweepLater = async (): Promise<string[]> => {
    stages.clock.advance(600_000);
    const ids = await sweep();
    await writeAll(stages);
    return ids;
  };
  const askedIn = (calls = stages.catalog.script.calls): unknown[] =>
    calls.filter(({ operation }) => operation === 'listProducts').map(({ args: [filters] }) => filters);

  beforeEach(async () => {
    stages.settings = { store: { writeBack: { locales: ['fr'] } }, workspace: {} };
    stages.store.put(snapshot(1));
    await stages.sync();
    inFrench('Généré 1');
    stages.catalog.change(Number((await stages.link(1)).catalogId), { name: 'Generated 1' });
    await deliver(stages, await resultOf(stages, 1));
    await writeAll(stages);
    expect(french()).toBe('Généré 1');
  });

  it('reaches the store by the sweep, once', async () => {
    expect(await sweepLater()).toEqual([]);
    inFrench('Corrigé 1');
    expect(await sweepLater()).toHaveLength(1);
    expect(french()).toBe('Corrigé 1');
    expect(stages.store.at('1').title).toBe('Generated 1');
    expect(await sweepLater()).toEqual([]);
    expect(await writeBacks(1)).toHaveLength(2);
  });

  it('is not the merchant’s own text that we pushed', async () => {
    stages.store.sourceLocales = ['fr'];
    stages.store.translate('1', 'fr:title', 'Du marchand');
    stages.store.edit('1', { updatedAt: stages.clock.now() });
    await stages.sync();
    inFrench('Du marchand');
    // The catalog in memory takes a text of any language for one of its own.
    stages.catalog.change(Number((await stages.link(1)).catalogId), { name: 'Generated 1' });
    expect(await sweepLater()).toEqual([]);
    expect(french()).toBe('Du marchand');
  });

  it('costs no request where no store writes further languages, and none of its faults ends the sweep', async () => {
    stages.catalog.script.forget();
    stages.settings = { store: {}, workspace: {} };
    await sweepLater();
    expect(askedIn()).toHaveLength(1);
    stages.settings = { store: { writeBack: { locales: ['fr', 'xx'] } }, workspace: {} };
    inFrench('Corrigé 1');
    stages.catalog.script.before('listProducts', () => undefined);
    stages.catalog.script.before('listProducts', refusal('invalid'));
    await sweepLater();
    await sweepLater();
    expect(french()).toBe('Corrigé 1');
  });
});
