import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDashboard, Visitor, type DashboardWorld } from './dashboard-world.js';

let dashboard: DashboardWorld;
beforeAll(async () => {
  dashboard = await openDashboard({ settings: { server: { adminToken: '' } } });
}, 60_000);
afterAll(() => dashboard.end(), 60_000);

describe('without an admin token', () => {
  it.each(['/', '/login', '/review', '/queues/', '/queues/board/api/queues'])(
    '%s answers 404 like the API',
    async (path) => {
      const { status, text } = await new Visitor(dashboard.url).get(path);
      expect([status, JSON.parse(text)]).toEqual([
        404,
        expect.objectContaining({ statusCode: 404, error: 'Not Found' }),
      ]);
    },
  );

  it('nobody signs in, not even with an empty token', async () => {
    expect((await new Visitor(dashboard.url).post('/login', [['token', '']])).status).toBe(404);
  });
});
