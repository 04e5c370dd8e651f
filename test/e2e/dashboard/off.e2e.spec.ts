import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDashboard, Visitor } from './dashboard-world.js';
import type { World } from '../../support/e2e-world.js';

let world: World;
beforeAll(async () => {
  world = await openDashboard({ settings: { server: { adminToken: '' } } });
});
afterAll(() => world.end());

describe('without an admin token', () => {
  it.each(['/', '/login', '/review'])('%s answers 404 like the API', async (path) => {
    const { status, text } = await new Visitor(world.url).get(path);
    expect([status, JSON.parse(text)]).toEqual([
      404,
      expect.objectContaining({ statusCode: 404, error: 'Not Found' }),
    ]);
  });

  it('nobody signs in, not even with an empty token', async () => {
    expect((await new Visitor(world.url).post('/login', [['token', '']])).status).toBe(404);
  });
});
