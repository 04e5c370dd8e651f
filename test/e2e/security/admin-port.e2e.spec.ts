import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Program } from '../../support/e2e-program.js';
import { ownPort } from '../../support/ports.js';
import { World } from '../../support/e2e-world.js';

let world: World;
let program: Program;
let adminUrl: string;

beforeAll(async () => {
  world = await World.open();
  const port = await ownPort();
  adminUrl = `http://127.0.0.1:${String(port)}`;
  await world.configure({ server: { admin: { port } } });
  program = await world.start();
});
beforeEach(async () => {
  if (program.ended) program = await world.start();
});
afterAll(() => world.end());

async function statusOf(base: string, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${world.adminToken}` };
  const answer = await fetch(`${base}${path}`, { headers, redirect: 'manual' });
  await answer.arrayBuffer();
  return answer.status;
}

describe('with server.admin.port', () => {
  it('start logs both addresses, and no line for each module and route', () => {
    expect(program.lines.filter((line) => /InstanceLoader|RouterExplorer/.test(line))).toEqual([]);
    const line = program.lines.find((each) => each.includes('store-sync is up'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      port: world.port,
      admin: { host: '127.0.0.1', port: Number(new URL(adminUrl).port) },
    });
  });

  it.each([
    ['/', 303],
    ['/login', 200],
    ['/review', 303],
    ['/api/v1/status', 200],
    ['/metrics', 200],
    ['/docs', 200],
    ['/docs-json', 200],
  ])('the admin port answers %s, and the public port 404', async (path, status) => {
    expect(await statusOf(adminUrl, path)).toBe(status);
    const refused = await fetch(`${world.url}${path}`, { redirect: 'manual' });
    expect([refused.status, await refused.json()]).toEqual([
      404,
      expect.objectContaining({ statusCode: 404, error: 'Not Found' }),
    ]);
  });

  it.each(['/health/live', '/health/ready'])('both answer %s', async (path) => {
    expect([await statusOf(world.url, path), await statusOf(adminUrl, path)]).toEqual([200, 200]);
  });

  it('deliveries arrive on the public port alone', async () => {
    expect(await world.deliver('{"action":"x"}')).toBe(200);
    const answer = await fetch(`${adminUrl}/webhooks/catalog/default`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(404);
  });

  it('a stop closes both within seconds, idle connections included, and once although it is asked for three times', async () => {
    await statusOf(adminUrl, '/login');
    const silent = connect(world.port, '127.0.0.1');
    silent.on('error', () => undefined);
    await once(silent, 'connect');
    const began = performance.now();
    program.signal('SIGTERM');
    await program.line((line) => line.includes('"msg":"stopping"'));
    program.signal('SIGTERM');
    program.signal('SIGINT');
    expect(await program.exit()).toBe(0);
    expect(performance.now() - began).toBeLessThan(25_000);
    expect(program.lines.filter((line) => line.includes('"msg":"stopped"'))).toHaveLength(1);
    await expect(statusOf(adminUrl, '/health/live')).rejects.toThrow('fetch failed');
    await expect(statusOf(world.url, '/health/live')).rejects.toThrow('fetch failed');
  });
});
