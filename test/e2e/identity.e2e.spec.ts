import { afterEach, describe, expect, it } from '@jest/globals';
import type { SandboxProduct } from '../../src/sandbox/store/index.js';
import { fill, single } from '../support/e2e-products.js';
import { syncHere } from '../support/run-command.js';
import { World, type WorldOptions } from '../support/e2e-world.js';

const OFF = { workspaces: { default: { generation: { mode: 'off' } } } };

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

async function open(options: WorldOptions = {}): Promise<World> {
  world = await World.open({ settings: OFF, ...options });
  return world;
}

async function bodyOf(here: World, id: number): Promise<unknown> {
  return (await here.catalogApi('GET', `/products/${id}/`)).body;
}

async function created(here: World, body: object): Promise<number> {
  const answer = await here.catalogApi('POST', '/products/', body);
  if (typeof answer.body !== 'object' || answer.body === null || !('id' in answer.body))
    throw new Error('not created');
  return Number(answer.body.id);
}

async function entryOf(here: World, product: SandboxProduct, store = here.store) {
  const externalId = `shopify:${store.shop}:${product.id}`;
  return (await here.catalogProducts()).find((each) => each.external_id === externalId);
}

describe('identity', () => {
  it('withholds a SKU that two products of the store share, and gives it back when it is one’s own', async () => {
    const here = await open();
    const [one, two] = [
      single(here.store, 'one', { sku: 'SAME' }),
      single(here.store, 'two', { sku: 'SAME' }),
    ];
    const other = single(here.store, 'other');
    const first = await syncHere(here);
    expect(first).toMatchObject({
      status: 0,
      run: { counts: { seen: 3, created: 3, conflicted: 2, failed: 0 } },
    });
    expect(await entryOf(here, one)).toMatchObject({ sku: null, name: 'Product one' });
    expect(await entryOf(here, two)).toMatchObject({ sku: null, name: 'Product two' });
    expect(await entryOf(here, other)).toMatchObject({ sku: 'SKU-other' });

    const [variant] = two.variants;
    if (!variant) throw new Error('no variant');
    here.store.products.merchantEdit(two.id, { variants: [{ id: variant.id, sku: 'ANOTHER' }] });
    const second = await syncHere(here, { full: true });
    expect(second).toMatchObject({ status: 0, run: { counts: { updated: 2, conflicted: 0, failed: 0 } } });
    expect(await entryOf(here, one)).toMatchObject({ sku: 'SAME' });
    expect(await entryOf(here, two)).toMatchObject({ sku: 'ANOTHER' });
    expect((await syncHere(here, { full: true })).run.counts).toMatchObject({
      unchanged: 3,
      updated: 0,
      conflicted: 0,
    });
  });

  it('leaves a foreign catalog product that holds one of our SKUs as it is, byte for byte', async () => {
    const here = await open();
    const theirs = await created(here, {
      external_id: 'erp:4711',
      sku: 'SKU-ours',
      name: 'Of another system',
      description: 'Nobody else’s business',
      metadata: { from: 'the ERP' },
    });
    const before = JSON.stringify(await bodyOf(here, theirs));
    const ours = single(here.store, 'ours', { barcode: '4006381333931' });
    fill(here.store, 3);
    const { status, run } = await syncHere(here);
    expect({ status, run }).toMatchObject({
      status: 0,
      run: { counts: { created: 4, conflicted: 1, failed: 0 } },
    });
    expect(JSON.stringify(await bodyOf(here, theirs))).toBe(before);
    expect(await entryOf(here, ours)).toMatchObject({ sku: null, barcode: '4006381333931' });
    expect((await syncHere(here, { full: true })).run.counts).toMatchObject({ unchanged: 4, updated: 0 });
    expect(JSON.stringify(await bodyOf(here, theirs))).toBe(before);
  });

  it('adopts a catalog product without an external_id that has our barcode', async () => {
    const here = await open();
    const waiting = await created(here, {
      barcode: '4006381333931',
      name: 'Typed in by hand',
      metadata: { note: 'x' },
    });
    const ours = single(here.store, 'ours', { barcode: '4006381333931' });
    const { status, run } = await syncHere(here);
    expect({ status, run }).toMatchObject({
      status: 0,
      run: { counts: { seen: 1, conflicted: 0, failed: 0 } },
    });
    expect(await here.catalogProducts()).toHaveLength(1);
    expect(await entryOf(here, ours)).toMatchObject({ id: waiting, name: 'Product ours', sku: 'SKU-ours' });
  });

  it('holds between two stores of one workspace whose runs go at the same time', async () => {
    const here = await open({ stores: ['main', 'other'] });
    const [main, other] = [here.storeOf('main'), here.storeOf('other')];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      single(main, `main-${name}`, { sku: `SHARED-${name}` });
      single(other, `other-${name}`, { sku: `SHARED-${name}` });
    }
    fill(main, 20);
    await here.startHere();
    const ids = await Promise.all(['main', 'other'].map((store) => here.requestRun({ store })));
    const runs = await Promise.all(ids.map((id) => here.endOf(id)));
    expect(runs).toMatchObject([
      { status: 'succeeded', counts: { seen: 25, created: 25, failed: 0 } },
      { status: 'succeeded', counts: { seen: 5, created: 5, failed: 0 } },
    ]);
    const products = await here.catalogProducts();
    expect(products).toHaveLength(30);
    expect(new Set(products.map((product) => product.external_id)).size).toBe(30);
    // The first run may have sent the identifier before the second product was known. Neither took over the other's
    // product.
    for (const store of [main, other])
      for (const product of store.products.list())
        expect(await entryOf(here, product, store)).toMatchObject({ name: product.title });

    // After both were read again, neither product has the shared SKU.
    for (const store of ['main', 'other', 'main'])
      expect(await here.runToEnd({ store })).toMatchObject({ status: 'succeeded' });
    const after = await here.catalogProducts();
    expect(after).toHaveLength(30);
    expect(new Set(after.map((product) => product.external_id)).size).toBe(30);
  });
});
