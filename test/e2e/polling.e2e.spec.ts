import { afterEach, describe, expect, it } from '@jest/globals';
import { contentWrites, fill, now, single } from '../support/e2e-products.js';
import { World } from '../support/e2e-world.js';

let world: World | undefined;
afterEach(async () => {
  await world?.end();
  world = undefined;
});

describe('without webhooks', () => {
  it('everything still completes, by polling: results, failures and products without sources', async () => {
    world = await World.open({
      settings: { workspaces: { default: { webhook: { register: false }, tasks: { pollSeconds: 1 } } } },
    });
    const { store, catalog } = world;
    const products = fill(store, 9, { singleEvery: 3 });
    const failing = single(store, 'failing', { tags: ['sandbox-failed'] });
    const unfound = single(store, 'unfound', { tags: ['sandbox-no-urls'] });
    await world.startHere();
    const run = await world.runToEnd();
    expect(run).toMatchObject({ status: 'succeeded', counts: { created: 11, generationRequested: 11 } });
    await world.settled();

    expect((await world.catalogApi('GET', '/settings/webhooks/')).status).toBe(404);
    expect(await catalog.deliveries()).toEqual([]);
    for (const product of products) expect(now(store, product).descriptionHtml).toContain('Written by rules');
    for (const product of [failing, unfound]) expect(now(store, product)).toEqual(product);
    expect(contentWrites(store)).toHaveLength(9);
    const tasks = await world.rows('SELECT DISTINCT settled_by FROM generation_task');
    expect(tasks).toEqual([{ settled_by: 'poll' }]);
    const unsuccessful = await world.rows<{ external_id: string; reason: string | null }>(
      `SELECT external_id, reason FROM generation_task WHERE state <> 'succeeded' ORDER BY external_id`,
    );
    expect(unsuccessful.map(({ external_id }) => external_id)).toEqual([
      `shopify:${store.shop}:${failing.id}`,
      `shopify:${store.shop}:${unfound.id}`,
    ]);
    expect(unsuccessful.every(({ reason }) => (reason ?? '') !== '')).toBe(true);
  });
});
