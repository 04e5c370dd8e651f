import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signed } from '../../support/signed-delivery.js';
import { openDashboard } from '../dashboard/dashboard-world.js';
import type { World } from '../../support/e2e-world.js';

let world: World;
beforeAll(async () => {
  world = await openDashboard({
    settings: {
      workspaces: {
        other: {
          baseUrl: 'http://127.0.0.1:9/api/v1',
          auth: { apiToken: 'token-of-the-other' },
          webhook: { hmacSecret: OTHER_SECRET, register: false },
        },
        unsigned: {
          baseUrl: 'http://127.0.0.1:9/api/v1',
          auth: { apiToken: 'token-of-a-third' },
          webhook: { register: false },
        },
      },
    },
  });
});
afterAll(() => world.end());

const OTHER_SECRET = 'secret-of-the-other-workspace';
const BODY = '{"action":"product_generated"}';

const seconds = (offset = 0): string => String(Math.floor(Date.now() / 1000) + offset);

/** Everything of the answer that a caller could learn from. */
async function answerTo(path: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(`${world.url}${path}`, init);
  const headers = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  return { status: answer.status, headers, body: await answer.text() };
}

/** How many deliveries each workspace has stored. */
async function stored(): Promise<Readonly<Record<string, number>>> {
  const rows = await world.rows<{ workspace: string; count: number }>(
    'SELECT workspace, count(*)::int AS count FROM webhook_delivery GROUP BY workspace',
  );
  return Object.fromEntries(rows.map(({ workspace, count }) => [workspace, count]));
}

describe('a delivery that is not genuine', () => {
  it('gets one and the same answer, whatever is wrong with it', async () => {
    const { webhookSecret } = world;
    const before = await stored();
    const good = signed(BODY, webhookSecret);
    const attempts: Record<string, string>[] = [
      {},
      signed(BODY, 'a-wrong-secret'),
      signed(BODY, webhookSecret, seconds(-3600)),
      signed(BODY, webhookSecret, seconds(3600)),
      signed(BODY, webhookSecret, `${seconds()}.0`),
      { ...good, 'x-webhook-signature': good['x-webhook-signature']?.toUpperCase() ?? '' },
      { ...good, 'x-webhook-signature': `${good['x-webhook-signature'] ?? ''}00` },
      { 'x-webhook-timestamp': seconds() },
    ];
    const answers = new Set<string>();
    for (const headers of attempts)
      answers.add(
        JSON.stringify(await answerTo('/webhooks/catalog/default', { method: 'POST', headers, body: BODY })),
      );
    expect([...answers]).toEqual([expect.stringContaining('"status":401')]);
    expect(await stored()).toEqual(before);
  });

  it('is every one where no secret is configured: none could be verified', async () => {
    for (const headers of [{}, signed(BODY, '')]) {
      const { status } = await fetch(`${world.url}/webhooks/catalog/unsigned`, {
        method: 'POST',
        headers,
        body: BODY,
      });
      expect(status).toBe(401);
    }
  });

  it('is one that another workspace’s secret signed: the address names the workspace, never the body', async () => {
    const post = async (workspace: string): Promise<number> =>
      (
        await fetch(`${world.url}/webhooks/catalog/${workspace}`, {
          method: 'POST',
          headers: signed('{"workspace":"default"}', OTHER_SECRET),
          body: '{"workspace":"default"}',
        })
      ).status;
    expect([await post('default'), await post('other')]).toEqual([401, 200]);
    expect(await stored()).toEqual({ other: 1 });
  });
});

describe('the API', () => {
  it('says the same to everybody who is not the administrator', async () => {
    const { adminToken } = world;
    const given = [undefined, '', 'Bearer', 'Bearer wrong', `Bearer ${adminToken}x`];
    given.push(`Bearer ${adminToken.slice(0, -1)}`, `Basic ${adminToken}`, adminToken);
    const answers = new Set<string>();
    for (const authorization of given) {
      const headers = authorization === undefined ? {} : { authorization };
      answers.add(JSON.stringify(await answerTo('/api/v1/status', { headers })));
    }
    expect([...answers]).toEqual([expect.stringContaining('"status":401')]);
    expect([...answers][0]).not.toContain(adminToken);
  });

  it('bounds what it reads: bodies by a megabyte, headers by sixteen kilobytes', async () => {
    const headers = {
      authorization: `Bearer ${world.adminToken}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ ids: ['x'.repeat(1_100_000)] });
    const large = await fetch(`${world.url}/api/v1/stores/main/generate`, { method: 'POST', headers, body });
    expect(large.status).toBe(413);
    const long = await fetch(`${world.url}/health/live`, { headers: { 'x-long': 'x'.repeat(20_000) } });
    expect(long.status).toBe(431);
  });

  it('does not reveal its software', async () => {
    const answer = await fetch(`${world.url}/health/live`);
    expect(answer.headers.get('x-powered-by')).toBeNull();
    expect(answer.headers.get('server')).toBeNull();
  });
});
