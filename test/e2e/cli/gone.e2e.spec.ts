import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { single } from '../../support/e2e-products.js';
import { World } from '../../support/e2e-world.js';
import { runCommand } from '../../support/run-command.js';

const WITHOUT_GENERATION = { workspaces: { default: { generation: { mode: 'off' } } } };
let world: World;
let ids: number[];

beforeAll(async () => {
  world = await World.open({ settings: WITHOUT_GENERATION });
  ids = ['lamp', 'table', 'chair'].map((name) => single(world.store, name, { title: `A ${name}` }).id);
  expect((await runCommand(world, 'sync', [], { store: 'main' })).status).toBe(0);
});
afterAll(() => world.end());

/** Takes this for the setting `deleted`, and lets one of three products leave. */
async function withDeleted(deleted: string): Promise<void> {
  const main = { deleted, limits: { maxOrphanedShare: 1 } };
  await world.configure({ ...WITHOUT_GENERATION, stores: { main } });
}

const goneSchema = z.object({
  count: z.number(),
  products: z.array(z.looseObject({ label: z.string(), detail: z.string() })),
});

describe('a product that is gone from the store, with deleted: report', () => {
  it('is shown by plan and status for as long as the catalog keeps it', async () => {
    await withDeleted('report');
    const before = (await world.catalogProducts()).length;
    world.store.products.delete(ids[1]!);
    const planned = await runCommand(world, 'plan', [], { store: 'main', full: true });
    expect(planned.stdout).toMatch(/- orphan .*; the catalog keeps it/);
    await runCommand(world, 'sync', [], { store: 'main', full: true });
    const again = await runCommand(world, 'plan', [], { store: 'main', full: true });
    expect(again.status).toBe(0);
    expect(again.stdout).toMatch(/^! gone .*: gone from the store; the catalog keeps it$/m);
    const status = await runCommand(world, 'status', [], {});
    expect(status.stdout).toContain('gone from the store, kept in the catalog: 1');
    const json = await runCommand(world, 'status', [], { json: true });
    const shown = z
      .object({ stores: z.array(z.object({ gone: goneSchema })) })
      .parse(JSON.parse(json.stdout));
    expect(shown.stores[0]?.gone).toMatchObject({
      count: 1,
      products: [{ detail: 'gone from the store; the catalog keeps it' }],
    });
    expect(await world.catalogProducts()).toHaveLength(before);
  });

  it('is kept without a word with deleted: keep', async () => {
    await withDeleted('keep');
    const plan = await runCommand(world, 'plan', [], { store: 'main', full: true });
    expect(plan.stdout).not.toContain('! gone');
    const { stdout } = await runCommand(world, 'status', [], { json: true });
    expect(JSON.parse(stdout)).toMatchObject({ stores: [{ gone: null }] });
  });
});

describe('a product that is gone from the store, with deleted: delete', () => {
  it('is announced by plan as deleted, and not as kept', async () => {
    await withDeleted('delete');
    world.store.products.delete(ids[0]!);
    const before = (await world.catalogProducts()).length;
    const { stdout } = await runCommand(world, 'plan', [], { store: 'main', full: true });
    expect(stdout).toMatch(/- orphan .*A lamp.*; it is deleted in the catalog$/m);
    expect(stdout).not.toMatch(/- orphan .*the catalog keeps it/);
    await runCommand(world, 'sync', [], { store: 'main', full: true });
    expect(await world.catalogProducts()).toHaveLength(before - 1);
  });
});
