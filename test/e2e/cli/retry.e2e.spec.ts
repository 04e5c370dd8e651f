import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { single } from '../../support/e2e-products.js';
import { World } from '../../support/e2e-world.js';
import { runLine, syncHere } from '../../support/run-command.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
  single(world.store, 'kettle', { title: 'A plain kettle' });
});
afterAll(() => world.end());

describe('store-sync retry', () => {
  it('exits with 0 for a store that grants what is needed', async () => {
    const end = await runLine(world, ['retry', '--store', 'main']);
    expect(end).toMatchObject({ status: 0, stdout: expect.stringContaining('store main works') });
  });

  it('exits with 1 for a store that still refuses, and status shows the pause', async () => {
    world.store.revokeTokens();
    const { run } = await syncHere(world);
    expect(run.status).toBe('failed');
    const end = await runLine(world, ['retry', '--store', 'main', '--json']);
    expect(end.status).toBe(1);
    expect(JSON.parse(end.stdout)).toMatchObject({
      store: 'main',
      health: { state: 'paused', code: 'credentials_refused', scope: 'everything' },
      woken: { writeBacks: 0, runs: 0 },
    });
    expect(end.stderr).toMatch(/^store-sync: store main is still refused: /m);
    const status = await runLine(world, ['status']);
    expect(status.stdout).toContain('PAUSED (everything) since');
    const json: unknown = JSON.parse((await runLine(world, ['status', '--json'])).stdout);
    expect(json).toMatchObject({
      workspaces: [{ paused: null }],
      stores: [{ health: { state: 'paused', since: expect.any(String), nextTry: expect.any(String) } }],
    });
  });

  it('exits with 1 for a store that is not configured', async () => {
    const end = await runLine(world, ['retry', '--store', 'nobody']);
    expect(end).toMatchObject({ status: 1, stderr: expect.stringContaining('no store "nobody"') });
  });
});
