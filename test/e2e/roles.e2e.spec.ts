import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../support/e2e-world.js';
import { until } from '../support/until.js';

/** In this order: the webhooks' address, which both services call, is that of the first replica. */
const ROLES = ['receive', 'work', 'admin'] as const;

let world: World;
beforeAll(async () => {
  world = await World.open();
  world.store.products.create({ title: 'Plain', handle: 'plain', descriptionHtml: '<p>Plain.</p>' });
  // A process that is open to the internet is not given the credentials.
  const withoutCredentials = {
    workspaces: { default: { auth: { apiToken: '${NOT_GIVEN_TO_RECEIVE}' } } },
    stores: { main: { auth: { accessToken: '${NOT_GIVEN_TO_RECEIVE}' } } },
  };
  for (const [replica, role] of ROLES.entries()) {
    const changes = role === 'receive' ? withoutCredentials : {};
    const daemon = await world.load(replica, changes, { STORE_SYNC_ROLES: role });
    await daemon.start();
  }
});
afterAll(async () => world.end());

async function statusOf(role: (typeof ROLES)[number], path: string, method = 'GET'): Promise<number> {
  const url = `${world.replicas[ROLES.indexOf(role)] ?? ''}${path}`;
  const headers = { authorization: `Bearer ${world.adminToken}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, ...(method === 'POST' ? { body: '{}' } : {}) });
  await answer.arrayBuffer();
  return answer.status;
}

describe('three processes with a role each', () => {
  it.each([
    ['GET', '/health/ready', [200, 200, 200]],
    ['GET', '/metrics', [200, 200, 200]],
    ['GET', '/api/v1/status', [404, 404, 200]],
    ['GET', '/docs-json', [404, 404, 200]],
    ['GET', '/login', [404, 404, 200]],
    ['POST', '/webhooks/catalog/default', [401, 404, 404]],
    ['POST', '/webhooks/shopify/main', [401, 404, 404]],
  ])('answer %s %s by role', async (method, path, expected) => {
    expect(await Promise.all(ROLES.map((role) => statusOf(role, path, method)))).toEqual(expected);
  });

  it('bring a product from the store to the catalog and its content back, together', async () => {
    const admin = world.replicas[2] ?? '';
    const headers = { authorization: `Bearer ${world.adminToken}`, 'content-type': 'application/json' };
    const asked = await fetch(`${admin}/api/v1/stores/main/syncs`, { method: 'POST', headers, body: '{}' });
    expect(asked.status).toBe(202);
    await until('the generated text is in the store', () => {
      const [product] = world.store.products.list();
      return product !== undefined && product.descriptionHtml !== '<p>Plain.</p>';
    });
    const deliveries = await world.rows<{ via: string }>('SELECT DISTINCT via FROM webhook_delivery');
    expect(deliveries).toEqual([{ via: 'webhook' }]);
  });
});
