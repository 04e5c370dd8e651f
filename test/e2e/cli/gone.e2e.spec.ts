import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ShopifyConnector } from '../../../src/store/shopify/connector.js';
import { PLAIN_VARIANT } from '../../support/e2e-products.js';
import { World } from '../../support/e2e-world.js';
import { runCommand } from '../../support/run-command.js';

const WRITE_BACK = { stores: { main: { writeBack: { locales: ['de'] }, deleted: 'report' } } };
let world: World;
let ids: string[];
/** The German texts of the chair in the catalog, before anything was generated. */
let pushed: unknown;

beforeAll(async () => {
  world = await World.open({
    settings: { ...WRITE_BACK, workspaces: { default: { generation: { mode: 'off' } } } },
  });
  ids = ['lamp', 'table', 'chair'].map((handle) => {
    const product = world.store.products.create({
      title: `A ${handle}`,
      descriptionHtml: `<p>A plain ${handle}.</p>`,
      handle,
      vendor: 'Lux',
      variants: [{ ...PLAIN_VARIANT, sku: handle.toUpperCase(), barcode: null }],
    });
    return product.gid;
  });
  await inTheShop((shop) =>
    shop.write(ids[2] ?? '', 'de', [
      { target: 'title', value: 'Ein Stuhl', expected: null },
      { target: 'descriptionHtml', value: '<p>Ein Stuhl aus hellem Holz.</p>', expected: null },
    ]),
  );
  expect((await runCommand(world, 'sync', [], { store: 'main' })).status).toBe(0);
  pushed = await inTheCatalog('A chair', 'de');
  // The catalog has a German text for the lamp, but none for the table.
  const lamp = (await world.catalogProducts()).find(({ name }) => name === 'A lamp');
  const patched = await world.catalogApi('PATCH', `/products/${String(lamp?.id)}/?locale=de`, {
    name: 'Eine Lampe',
    description: 'Eine schlichte Lampe.',
  });
  expect(patched.status).toBe(200);
  await world.configure(WRITE_BACK);
  await world.whileUp(async () => {
    await runCommand(world, 'generate', [], { store: 'main' });
  });
}, 120_000);

afterAll(async () => {
  await world.end();
});

/** The shop's own translations, as a person reads and sets them. */
async function inTheShop<T>(
  work: (shop: ShopifyConnector['parts']['translations']) => Promise<T>,
): Promise<T> {
  const connector = new ShopifyConnector({
    shop: world.store.shop,
    endpoint: world.store.url,
    auth: { accessToken: world.store.accessToken ?? '' },
    apiVersion: '2026-10',
  });
  try {
    return await work(connector.parts.translations);
  } finally {
    await connector.close();
  }
}

async function german(gid: string | undefined): Promise<Record<string, string | null>> {
  const live = await inTheShop((shop) => shop.live(gid ?? '', 'de', ['title', 'descriptionHtml']));
  return Object.fromEntries([...(live?.texts ?? [])].map(([target, { value }]) => [target, value]));
}

async function inTheCatalog(name: string, locale: string): Promise<unknown> {
  const product = (await world.catalogProducts()).find((each) => each.name === name);
  return (await world.catalogApi('GET', `/products/${String(product?.id)}/?locale=${locale}`)).body;
}

describe('a catalog that speaks two languages', () => {
  it('has both written to the store, and an untranslated product left in one', async () => {
    const texts = await german(ids[0]);
    expect(texts['title']).toContain('Eine Lampe');
    expect(texts['descriptionHtml']).not.toBeNull();
    expect(world.store.products.get(ids[0]!)?.title).not.toContain('Eine Lampe');
    expect(await german(ids[1])).toEqual({ title: null, descriptionHtml: null });
  });

  it('has the shop’s own translation as the source of its language', async () => {
    expect(pushed).toMatchObject({
      name: 'Ein Stuhl',
      html_description: expect.stringContaining('Ein Stuhl aus hellem Holz'),
    });
    // Generated from it, and written back.
    expect((await german(ids[2]))['descriptionHtml']).toContain('Ein Stuhl aus hellem Holz');
  });

  it('does not receive its own texts again, and nothing has drifted', async () => {
    const end = await runCommand(world, 'plan', [], { store: 'main', full: true, json: true });
    expect(end).toMatchObject({ status: 0 });
    expect((await runCommand(world, 'drift', [], { store: 'main' })).status).toBe(0);
  });

  it('shows each translation in the journal', async () => {
    const { stdout } = await runCommand(world, 'write-backs', ['list'], {});
    expect(stdout).toMatch(/de:title: \(nothing\) -> ".*Eine Lampe/);
    expect(stdout).toMatch(/de:title: not_generated \(the catalog has no text in de/);
  });
});

const goneSchema = z.object({
  count: z.number(),
  products: z.array(z.looseObject({ label: z.string(), detail: z.string() })),
});

describe('check', () => {
  it('reports on the shop’s languages, on bulk operations and on the public address', async () => {
    const { status, stdout } = await runCommand(world, 'check', [], {});
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ok .*store main: translations: de is a language of the shop$/m);
    expect(stdout).toMatch(/^ok .*store main: bulk operations: allowed/m);
    expect(stdout).toMatch(/^warn .*public URL: .*\/health\/live does not answer/m);
  });
});

describe('a product that is gone from the store, with deleted: report', () => {
  it('is shown by plan and status for as long as the catalog keeps it', async () => {
    await world.configure({
      stores: { main: { ...WRITE_BACK.stores.main, limits: { maxOrphanedShare: 1 } } },
    });
    const before = (await world.catalogProducts()).length;
    world.store.products.delete(ids[1]!);
    const planned = await runCommand(world, 'plan', [], { store: 'main', full: true });
    expect(planned.stdout).toMatch(
      /- orphan .*A table.*; the catalog keeps it|- orphan .*; the catalog keeps it/,
    );
    await runCommand(world, 'sync', [], { store: 'main', full: true });
    const again = await runCommand(world, 'plan', [], { store: 'main', full: true });
    expect(again.status).toBe(0);
    expect(again.stdout).toMatch(/^! gone .*: gone from the store; the catalog keeps it$/m);
    const status = await runCommand(world, 'status', [], {});
    expect(status.stdout).toContain('gone from the store, kept in the catalog: 1');
    const json = await runCommand(world, 'status', [], { json: true });
    const shown = z
      .object({ stores: z.array(z.object({ gone: goneSchema })) })
      .parse(JSON.parse(json.stdout));
    expect(shown.stores[0]?.gone).toMatchObject({
      count: 1,
      products: [{ detail: 'gone from the store; the catalog keeps it' }],
    });
    expect(await world.catalogProducts()).toHaveLength(before);
  });

  it('is kept without a word with deleted: keep', async () => {
    await world.configure({ stores: { main: { limits: { maxOrphanedShare: 1 } } } });
    const plan = await runCommand(world, 'plan', [], { store: 'main', full: true });
    expect(plan.stdout).not.toContain('! gone');
    const { stdout } = await runCommand(world, 'status', [], { json: true });
    expect(JSON.parse(stdout)).toMatchObject({ stores: [{ gone: null }] });
  });
});

describe('a product that is gone from the store, with deleted: delete', () => {
  it('is announced by plan as deleted, and not as kept', async () => {
    await world.configure({ stores: { main: { deleted: 'delete', limits: { maxOrphanedShare: 1 } } } });
    world.store.products.delete(ids[0]!);
    const before = (await world.catalogProducts()).length;
    const { stdout } = await runCommand(world, 'plan', [], { store: 'main', full: true });
    expect(stdout).toMatch(/- orphan .*A lamp.*; it is deleted in the catalog$/m);
    expect(stdout).not.toMatch(/- orphan .*the catalog keeps it/);
    await runCommand(world, 'sync', [], { store: 'main', full: true });
    expect(await world.catalogProducts()).toHaveLength(before - 1);
  });
});
