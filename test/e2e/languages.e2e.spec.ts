import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { productExternalId } from '../../src/domain/external-id.js';
import { ShopifyConnector } from '../../src/store/shopify/connector.js';
import { edit, now, single } from '../support/e2e-products.js';
import { World, type WorldOptions } from '../support/e2e-world.js';
import type { SandboxProduct } from '../../src/sandbox/store/index.js';

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

async function open(options: WorldOptions): Promise<World> {
  world = await World.open(options);
  return world;
}

const textsShape = z.looseObject({ name: z.string().nullable(), html_description: z.string().nullable() });

/** The catalog's texts of a store's product in a language. */
async function catalogTexts(here: World, product: SandboxProduct, locale: string) {
  const externalId = productExternalId(`shopify:${here.store.shop}`, String(product.id));
  const held = (await here.catalogProducts()).find((each) => each.external_id === externalId);
  const { body } = await here.catalogApi('GET', `/products/${String(held?.id)}/?locale=${locale}`);
  return textsShape.parse(body);
}

/** Sets a translation in the shop, as a person does. */
async function translate(here: World, product: SandboxProduct, title: string, descriptionHtml: string) {
  const connector = new ShopifyConnector({
    shop: here.store.shop,
    endpoint: here.store.url,
    auth: { accessToken: here.store.accessToken ?? '' },
    apiVersion: '2026-10',
  });
  const writes = [
    { target: 'title', value: title, expected: null },
    { target: 'descriptionHtml', value: descriptionHtml, expected: null },
  ];
  await connector.parts.translations.write(product.gid, 'de', writes);
  await connector.close();
}

describe('a service whose default language is another, and that ignores the language of a PATCH', () => {
  it('gets and gives texts in the workspace’s language, edits included', async () => {
    const here = await open({
      catalog: { defaultLocale: 'en', readings: { patchLocale: 'ignored', missingLocale: 'empty' } },
      settings: { workspaces: { default: { locale: 'fr' } } },
    });
    const chair = single(here.store, 'chaise', {
      title: 'Chaise',
      descriptionHtml: '<p>Une chaise en bois clair.</p>',
    });
    await here.startHere();
    expect(await here.runToEnd()).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
    await here.settled();
    const generated = await catalogTexts(here, chair, 'fr');
    expect(generated.html_description).toContain('Une chaise en bois clair');
    expect(now(here.store, chair).title).toBe(generated.name);
    expect(now(here.store, chair).descriptionHtml).toContain('Une chaise en bois clair');
    expect((await catalogTexts(here, chair, 'en')).name).not.toContain('haise');

    edit(here.store, chair, { title: 'Fauteuil' });
    expect(await here.runToEnd()).toMatchObject({ status: 'succeeded', counts: { updated: 1 } });
    expect((await catalogTexts(here, chair, 'fr')).name).toBe('Fauteuil');
    expect((await catalogTexts(here, chair, 'en')).name).not.toContain('Fauteuil');
  });
});

describe('the shop’s own translations', () => {
  it('are the source of generation in their language, and what we write is not pushed back', async () => {
    const here = await open({
      settings: { stores: { main: { writeBack: { locales: ['de'] } } } },
    });
    const chair = single(here.store, 'chair', { title: 'Chair' });
    const table = single(here.store, 'table', { title: 'Table' });
    await translate(here, chair, 'Stuhl', '<p>Ein Stuhl aus hellem Holz.</p>');
    await here.startHere();
    expect(await here.runToEnd()).toMatchObject({ status: 'succeeded', counts: { created: 2 } });
    await here.settled();
    const german = await catalogTexts(here, chair, 'de');
    expect(german.name).toContain('Stuhl');
    expect(german.html_description).toContain('Ein Stuhl aus hellem Holz');
    expect((await catalogTexts(here, chair, 'en')).name).toContain('Chair');
    expect((await catalogTexts(here, table, 'de')).name).toContain('Table');

    here.catalog.resetRequests();
    expect(await here.runToEnd()).toMatchObject({ status: 'succeeded', counts: { unchanged: 2 } });
    expect(here.catalogWrites()).toEqual([]);
  });
});
