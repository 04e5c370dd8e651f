import { afterEach, describe, expect, it } from '@jest/globals';
import { CatalogClient } from '../../../src/catalog/client.js';
import { workspaceSchema } from '../../../src/config/workspace-schema.js';
import type { CatalogReadings } from '../../../src/sandbox/catalog/readings.js';
import { ProductSender } from '../../../src/sync/product-sender.js';
import type { CatalogField, CatalogProductBody } from '../../../src/domain/catalog-product.js';
import { productOf, SandboxControl } from '../../contract/harness.js';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { SandboxCatalog } from '../../support/sandbox-stages.js';
import { Stages } from '../../support/stages.js';
import { requestCounts } from '../../support/world/catalog-calls.js';

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

describe('a workspace that gets another locale', () => {
  it('has the texts of its products in it after the next run, and nothing is sent again', async () => {
    const stages = await Stages.open();
    const catalog = await SandboxCatalog.open(stages, {}, { locale: 'de' });
    const speaks = (locale: string | undefined) => {
      stages.client = catalog.inLocale(locale);
      stages.settings = { store: {}, workspace: { generation: { mode: 'off' }, locale } };
      return stages.client;
    };
    stages.settings = { store: {}, workspace: { generation: { mode: 'off' }, locale: 'de' } };
    stages.store.put(snapshot(1, { title: 'Lamp' }), modelSnapshot(2, { title: 'Shirt' }));
    await stages.sync();
    expect(await stages.sync()).toMatchObject({ counts: { unchanged: 2 } });

    for (const locale of ['fr', undefined]) {
      const client = speaks(locale);
      // An incremental run would read no unchanged product.
      const run = await stages.sync({ full: false });
      expect(run).toMatchObject({ state: 'succeeded', kind: 'full', counts: { updated: 2, failed: 0 } });
      const fields = ['name', 'description', 'html_description'];
      const reason = expect.stringContaining('its workspace has another locale');
      expect(await stages.actionsOf(run.id)).toMatchObject([
        { fields, reason },
        { fields: [...fields, 'open_attributes'], reason },
      ]);
      const ids = [await stages.link(1), await stages.link(2)].map(({ catalogId }) => catalogId ?? '');
      const held = await Promise.all(
        ids.map((id) => catalog.client.getProduct(id, { locale: locale ?? 'en' })),
      );
      expect(held).toMatchObject([{ name: 'Lamp' }, { name: 'Shirt' }]);
      catalog.service.resetRequests();
      expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { unchanged: 2 } });
      const asked = Object.keys(requestCounts(catalog.service.requests()));
      expect(asked.filter((name) => !name.startsWith('GET'))).toEqual([]);
      client.close();
    }
    await catalog.close();
  });
});
