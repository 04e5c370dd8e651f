import { afterEach, describe, expect, it } from '@jest/globals';
import { CatalogClient } from '../../../src/catalog/client.js';
import { workspaceSchema } from '../../../src/config/workspace-schema.js';
import type { CatalogReadings } from '../../../src/sandbox/catalog/readings.js';
import { ProductSender } from '../../../src/sync/product-sender.js';
import type { CatalogField, CatalogProductBody } from '../../../src/domain/catalog-product.js';
import { productOf, SandboxControl } from '../../contract/harness.js';

let own: SandboxControl | undefined;
afterEach(async () => {
  await own?.stop();
  own = undefined;
});

const EXTERNAL_ID = 'shopify:example.myshopify.com:1';

/** A service of which the default language is English, and a workspace that is configured in another. */
async function workspaceIn(locale: string, readings: Partial<CatalogReadings>) {
  own = await SandboxControl.start({ readings, defaultLocale: 'en' });
  const settings = workspaceSchema.parse({
    baseUrl: own.sandbox.baseUrl,
    auth: { apiToken: own.token },
    locale,
  });
  const client = new CatalogClient({
    baseUrl: own.sandbox.baseUrl,
    auth: { apiToken: own.token },
    requestsPerSecond: 1000,
    locale,
  });
  return { key: 'default', settings, client };
}

type TestWorkspace = Awaited<ReturnType<typeof workspaceIn>>;

/** Sends all fields of the body but the external_id, as an update of a known product does. */
async function updateProduct(workspace: TestWorkspace, id: string, body: CatalogProductBody) {
  const sender = new ProductSender(workspace.client, workspace.settings.locale ?? null);
  const fields = Object.keys(body).filter((field): field is CatalogField => field !== 'external_id');
  const sent = await sender.update(id, body, fields, { stale: [], beforeSend: () => undefined });
  return sent.product;
}

const shown = async (id: number, locale: string) =>
  productOf(await own!.api.get(`/products/${id}/`, { locale }));

describe.each(['honoured', 'ignored'] as const)('where PATCH with a locale is %s', (patchLocale) => {
  it('an update reaches the workspace’s language, and the default language stays as it was', async () => {
    const workspace = await workspaceIn('fr', { patchLocale });
    const { id } = productOf(await own!.api.post('/products/', { external_id: EXTERNAL_ID, name: 'Chair' }));
    await workspace.client.upsertProduct({ external_id: EXTERNAL_ID, name: 'Chaise', brand: 'Acme' });
    const answer = await updateProduct(workspace, String(id), {
      ...{ external_id: EXTERNAL_ID, name: 'Fauteuil', html_description: '<p>Doux</p>', brand: 'Beta' },
      open_attributes: { Taille: 'grande' },
    });
    expect(answer).toMatchObject({ id, name: 'Fauteuil' });
    expect(await shown(id, 'fr')).toMatchObject({
      ...{ name: 'Fauteuil', html_description: '<p>Doux</p>', brand: 'Beta' },
      open_attributes: { Taille: 'grande' },
    });
    expect(await shown(id, 'en')).toMatchObject({ name: 'Chair', brand: 'Beta' });
    workspace.client.close();
  });

  it('an update sends no identifier with its texts, and none without texts is a POST', async () => {
    const workspace = await workspaceIn('fr', { patchLocale });
    const foreign = productOf(await own!.api.post('/products/', { sku: 'SKU-9', name: 'Foreign' }));
    const { id } = productOf(await own!.api.post('/products/', { external_id: EXTERNAL_ID, name: 'Chair' }));
    const update = { external_id: EXTERNAL_ID, name: 'Chaise', sku: 'SKU-9' };
    await updateProduct(workspace, String(id), update);
    expect(await shown(id, 'fr')).toMatchObject({ name: 'Chaise', sku: null });
    await updateProduct(workspace, String(id), { external_id: EXTERNAL_ID, sku: 'SKU-1' });
    expect(await shown(foreign.id, 'en')).toMatchObject({ name: 'Foreign', sku: 'SKU-9' });
    expect(await shown(id, 'fr')).toMatchObject({ sku: 'SKU-1' });
    workspace.client.close();
  });

  it('an update of a product that is gone makes none', async () => {
    const workspace = await workspaceIn('fr', { patchLocale });
    const gone = updateProduct(workspace, '999', { external_id: EXTERNAL_ID, name: 'Chaise' });
    await expect(gone).rejects.toMatchObject({ code: 'not_found' });
    expect(await workspace.client.listProducts()).toMatchObject({ results: [] });
    workspace.client.close();
  });
});
