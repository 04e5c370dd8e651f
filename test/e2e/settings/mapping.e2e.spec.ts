import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { single } from '../../support/e2e-products.js';
import { until, World } from '../../support/e2e-world.js';

/** One store for each way of mapping, all in one workspace and under one daemon. */
const STORES = ['main', 'plain', 'nobrand', 'labels', 'jewellery'];
const sentSchema = z.looseObject({
  name: z.string().nullable(),
  brand: z.string().nullish(),
  variants: z
    .array(
      z.looseObject({
        name: z.string().nullable(),
        images: z.array(z.object({ source_url: z.string(), order: z.number() })).nullish(),
      }),
    )
    .optional(),
});
type Sent = z.output<typeof sentSchema>;

let world: World;

beforeAll(async () => {
  world = await World.open({
    stores: STORES,
    settings: {
      workspaces: { default: { generation: { mode: 'off' } } },
      stores: {
        main: { mapping: { brand: 'custom.maker' } },
        nobrand: { mapping: { brand: 'none' } },
        labels: { mapping: { brand: 'vendor' } },
      },
    },
  });
  for (const key of STORES.filter((each) => each !== 'jewellery')) {
    const store = world.storeOf(key);
    single(store, `${key}-kettle`, {
      vendor: 'Acme',
      metafields: [{ namespace: 'custom', key: 'maker', type: 'single_line_text_field', value: 'Bosch' }],
    });
    single(store, `${key}-own`, { vendor: key });
  }
  world
    .storeOf('jewellery')
    .loadCsv(await readFile(new URL('../../fixtures/csv/jewelery.csv', import.meta.url), 'utf8'));
  await world.startHere();
  for (const store of STORES)
    expect(await world.runToEnd({ store })).toMatchObject({ status: 'succeeded', counts: { failed: 0 } });
});
afterAll(() => world.end());

async function sent(store: string, handle: string): Promise<Sent | undefined> {
  const product = world.storeOf(store).products.byHandle(handle);
  const externalId = `shopify:${store}.myshopify.com:${String(product?.id)}`;
  const listed = (await world.catalogProducts()).find(({ external_id }) => external_id === externalId);
  if (listed === undefined) return undefined;
  return sentSchema.parse((await world.catalogApi('GET', `/products/${String(listed.id)}/`)).body);
}

describe('a product in the catalog', () => {
  it.each([
    ['main', 'main-kettle', 'Bosch'],
    ['main', 'main-own', null],
    ['plain', 'plain-kettle', 'Acme'],
    ['plain', 'plain-own', null],
    ['labels', 'labels-kettle', 'Acme'],
    ['labels', 'labels-own', 'labels'],
    ['nobrand', 'nobrand-kettle', null],
  ])('has in the store %s for %s the brand %j', async (store, handle, brand) => {
    expect((await sent(store, handle))?.brand ?? null).toBe(brand);
  });
});

describe('the jewellery export', () => {
  it('has its variants’ images on the variants, and all images on the product', async () => {
    const bracelet = await until('the variants', async () => {
      const found = await sent('jewellery', 'leather-anchor');
      return found?.variants?.length === 2 ? found : null;
    });
    const gallery = world.storeOf('jewellery').products.byHandle('leather-anchor')?.media ?? [];
    expect(bracelet).toMatchObject({
      images: gallery.map(({ url }) => expect.objectContaining({ source_url: url })),
    });
    expect(
      bracelet.variants?.map(({ name, images }) => [name, images?.map(({ source_url }) => source_url)]),
    ).toEqual([
      ['Gold', [expect.stringContaining('/anchor-bracelet-mens_925x.jpg')]],
      ['Silver', [expect.stringContaining('/anchor-bracelet-for-men_925x.jpg')]],
    ]);
  });

  it('changes nothing in the next full run', async () => {
    expect(await world.runToEnd({ store: 'jewellery' })).toMatchObject({
      counts: { updated: 0, created: 0 },
    });
  });
});
