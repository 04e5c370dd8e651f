import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { productExternalId } from '../../src/domain/external-id.js';
import { edit, now, single } from '../support/e2e-products.js';
import { World } from '../support/e2e-world.js';
import type { SandboxProduct } from '../../src/sandbox/store/index.js';

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

const textsShape = z.looseObject({ name: z.string().nullable(), html_description: z.string().nullable() });

/** The catalog's texts of a store's product in a language. */
async function catalogTexts(here: World, product: SandboxProduct, locale: string) {
  const externalId = productExternalId(`shopify:${here.store.shop}`, String(product.id));
  const held = (await here.catalogProducts()).find((each) => each.external_id === externalId);
  const { body } = await here.catalogApi('GET', `/products/${String(held?.id)}/?locale=${locale}`);
  return textsShape.parse(body);
}

describe('a service whose default language is another, and that ignores the language of a PATCH', () => {
  it('gets and gives texts in the workspace’s language, edits included', async () => {
    const here = await World.open({
      catalog: { defaultLocale: 'en', readings: { patchLocale: 'ignored', missingLocale: 'empty' } },
      settings: { workspaces: { default: { locale: 'fr' } } },
    });
    world = here;
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
