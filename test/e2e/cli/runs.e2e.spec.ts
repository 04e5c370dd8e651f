import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { single } from '../../support/e2e-products.js';
import { World } from '../../support/e2e-world.js';
import { runLine, syncHere } from '../../support/run-command.js';

let world: World;
let id: string;
beforeAll(async () => {
  world = await World.open();
  single(world.store, 'kettle', { title: 'A plain kettle' });
  single(world.store, 'lamp', { title: 'A red lamp' });
  id = (await syncHere(world)).run.id;
});
afterAll(() => world.end());

describe('store-sync runs', () => {
  it('lists the runs', async () => {
    const end = await runLine(world, ['runs']);
    expect(end).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/full sync of main succeeded: 2 seen/),
    });
    const count = String((await world.rows('SELECT 1 FROM sync_run')).length);
    expect(end.stdout).toContain(`${count} of ${count} runs`);
  });

  it('shows one with its products, as one document with --json', async () => {
    const end = await runLine(world, [
      'runs',
      'show',
      id,
      '--outcome',
      'created',
      '--search',
      'lamp',
      '--json',
    ]);
    expect(end.status).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({
      ...{ id, status: 'succeeded', notes: [], requests: { catalog: expect.any(Number) } },
      items: { total: 1, items: [{ outcome: 'created', label: 'A red lamp', reason: expect.any(String) }] },
    });
  });

  it('exits with 1 for an unknown run, and for one that has ended', async () => {
    const unknown = await runLine(world, ['runs', 'show', 'nobody']);
    expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('no run nobody') });
    const ended = await runLine(world, ['runs', 'cancel', id]);
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('has ended already') });
  });

  it('cancels a run that waits, in the name of the person', async () => {
    const [row] = await world.rows<{ id: string }>(
      `INSERT INTO sync_run (store, workspace, kind, trigger) VALUES ('main', 'default', 'full', 'schedule') RETURNING id`,
    );
    const end = await runLine(world, ['runs', 'cancel', row?.id ?? '', '--json']);
    expect(end.status).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({
      ...{ status: 'failed', error: null },
      notes: [expect.stringMatching(/^cancelled by /)],
    });
  });
});

describe('store-sync products list', () => {
  it('has each product with its state and reason', async () => {
    const end = await runLine(world, ['products', 'list', '--store', 'main', '--search', 'KETTLE', '--json']);
    expect(end.status).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({
      total: 1,
      items: [{ label: 'A plain kettle', state: 'linked', standing: expect.any(String) }],
    });
    expect((await runLine(world, ['products', 'list'])).stdout).toContain('2 of 2 products');
  });
});
