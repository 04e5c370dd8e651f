import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../../support/e2e-world.js';
import { runCommand, type CommandEnd } from '../../support/run-command.js';

let world: World;
const FOREIGN = 'https://somebody.example.com/hook';

beforeAll(async () => {
  world = await World.open();
  // Loads the program once, so that no test pays for it.
  await runCommand(world, 'status', []);
});

afterAll(async () => {
  await world.end();
});

const slot = (action: string[], options = {}): Promise<CommandEnd> =>
  runCommand(world, 'webhook', action, options);

async function inSlot(): Promise<unknown> {
  const { status, body } = await world.catalogApi('GET', '/settings/webhooks/');
  return status === 200 && typeof body === 'object' && body !== null && 'url' in body ? body.url : null;
}

describe('webhook', () => {
  it('shows an empty slot and registers nothing', async () => {
    expect(await slot([])).toMatchObject({
      status: 0,
      stdout: 'workspace default: free: the webhook slot is empty\n',
    });
    expect(await inSlot()).toBeNull();
  });

  it('register fills an empty slot, and again ours', async () => {
    for (const _time of [1, 2]) {
      expect(await slot(['register'])).toMatchObject({ status: 0, stderr: '' });
      expect(await inSlot()).toBe(`${world.url}/webhooks/catalog/default`);
    }
    expect((await slot(['show'])).stdout).toMatch(/^workspace default: ours: /);
  });

  it('never shows the secret', async () => {
    const { stdout } = await slot(['show'], { json: true });
    expect(stdout).not.toContain(world.webhookSecret);
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ workspace: 'default', state: 'ours' }] });
  });

  it('remove empties it, and an empty one is no failure', async () => {
    for (const _time of [1, 2]) {
      expect((await slot(['remove'])).status).toBe(0);
      expect(await inSlot()).toBeNull();
    }
  });

  it.each([
    ['register', 'replaces'],
    ['remove', 'removes'],
  ])("%s leaves somebody else's URL alone and exits 1", async (action, forced) => {
    await world.catalogApi('POST', '/settings/webhooks/', { url: FOREIGN });
    const end = await slot([action]);
    expect(end.status).toBe(1);
    expect(end.stderr).toMatch(/^store-sync: workspace default: the webhook slot holds .*somebody.*\n$/);
    expect(end.stderr).toContain(`; --force ${forced} it\n`);
    expect(await inSlot()).toBe(FOREIGN);
  });

  it("register --force replaces somebody else's URL", async () => {
    expect((await slot(['register'], { force: true })).status).toBe(0);
    expect(await inSlot()).toBe(`${world.url}/webhooks/catalog/default`);
  });

  it('names the configured workspaces when it does not know one', async () => {
    expect(await slot(['show'], { workspace: 'other' })).toMatchObject({
      status: 1,
      stderr: 'store-sync: no workspace "other" is configured (configured: default)\n',
    });
  });

  it('says what is missing without a public URL', async () => {
    await world.configure({ server: { publicUrl: '' } });
    const end = await slot(['register']);
    expect(end.status).toBe(1);
    expect(end.stderr).toMatch(/^store-sync: server\.publicUrl is not set/);
  });
});
