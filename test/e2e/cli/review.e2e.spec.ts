import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { World } from '../../support/e2e-world.js';
import { runCommand, type CommandEnd } from '../../support/run-command.js';

/** One for each test that decides about a product. */
const NAMES = [
  ...['waiting', 'approved', 'rejected', 'reverted', 'known', 'shown', 'undone', 'changed', 'asked-for'],
  ...['put-back', 'edited-since', 'reapplied', 'replayed', 'generated'],
];
const REVIEWED = { stores: { main: { writeBack: { mode: 'review' } } } };
let world: World;

/** Generated content waits for review. No daemon runs beside the commands. */
beforeAll(async () => {
  world = await World.open({ settings: REVIEWED });
  for (const name of NAMES) {
    world.store.products.create({ title: `A ${name} chair`, handle: name, vendor: 'Sit' });
  }
  await world.whileUp(async () => {
    await world.runToEnd();
  });
});

afterAll(async () => {
  await world.end();
});

const row = z.looseObject({ id: z.string(), state: z.string(), externalId: z.string().nullable() });
const listed = z.object({ items: z.array(row), total: z.number() });

const titleOf = (name: string): string => world.store.products.byHandle(name)?.title ?? '';
const externalId = (name: string): string =>
  `shopify:main.myshopify.com:${String(world.store.products.byHandle(name)?.id)}`;

async function rows(command: 'write-backs' | 'deliveries', options = {}): Promise<z.output<typeof row>[]> {
  const end = await runCommand(world, command, [], { json: true, ...options });
  expect(end.status).toBe(0);
  return listed.parse(JSON.parse(end.stdout)).items;
}

async function rowOf(command: 'write-backs' | 'deliveries', name: string): Promise<z.output<typeof row>> {
  const found = (await rows(command)).find((each) => each.externalId === externalId(name));
  if (!found) throw new Error(`no row of ${name}`);
  return found;
}

function decide(action: string, ...ids: string[]): Promise<CommandEnd> {
  return runCommand(world, 'write-backs', [action, ...ids]);
}

/** Decides about the product's write-back by one action after the other; its id. */
async function decided(name: string, ...actions: string[]): Promise<string> {
  const { id } = await rowOf('write-backs', name);
  for (const action of actions) expect(await decide(action, id)).toMatchObject({ status: 0, stderr: '' });
  return id;
}

describe('write-backs', () => {
  it('lists what waits for review, with each field and what it is to become', async () => {
    const end = await runCommand(world, 'write-backs', [], { state: 'pending_review' });
    expect(end.stdout).toMatch(/title: to become "/);
    const count = String((await rows('write-backs', { state: 'pending_review' })).length);
    expect(end.stdout.trimEnd().split('\n').at(-1)).toBe(`${count} of ${count} write-backs`);
  });

  it('approve writes at once, beside no daemon', async () => {
    const { id } = await rowOf('write-backs', 'approved');
    const before = titleOf('approved');
    const end = await decide('approve', id);
    expect(end).toMatchObject({ status: 0, stderr: '' });
    expect(end.stdout).toContain('applied');
    expect(titleOf('approved')).not.toBe(before);
  });

  it('reject is permanent: the write-back can no longer be approved', async () => {
    const { id } = await rowOf('write-backs', 'rejected');
    expect((await decide('reject', id)).status).toBe(0);
    expect(await decide('approve', id)).toEqual({
      status: 1,
      stdout: '',
      stderr: `store-sync: write-back ${id} is rejected: it cannot be approved\n`,
    });
    expect(titleOf('rejected')).toBe('A rejected chair');
  });

  it('revert puts the before-image back, and does so once', async () => {
    const id = await decided('reverted', 'approve');
    expect(titleOf('reverted')).not.toBe('A reverted chair');
    expect((await decide('revert', id)).status).toBe(0);
    expect(titleOf('reverted')).toBe('A reverted chair');
    expect(await decide('revert', id)).toMatchObject({
      status: 1,
      stderr: `store-sync: write-back ${id} is reverted, not applied\n`,
    });
  });

  it('decides about the others when one of several is unknown, and exits 1', async () => {
    const { id } = await rowOf('write-backs', 'known');
    const end = await decide('approve', 'nobody', id);
    expect(end).toMatchObject({ status: 1, stderr: 'store-sync: no write-back nobody\n' });
    expect((await rowOf('write-backs', 'known')).state).toBe('applied');
  });

  it('prints one document on stdout with --json, whatever the outcome', async () => {
    const end = await runCommand(world, 'write-backs', ['approve', 'nobody'], { json: true });
    expect(end.status).toBe(1);
    expect(JSON.parse(end.stdout)).toEqual({
      results: [{ id: 'nobody', ok: false, state: null, detail: 'no write-back nobody' }],
    });
  });

  it.each([
    [
      ['frobnicate'],
      'store-sync: write-backs has no action "frobnicate"; choose one of: list, show, approve, reject, revert, undo, reapply\n',
    ],
    [['approve'], 'store-sync: write-backs approve needs at least one id\n'],
    [['list', 'x'], 'store-sync: write-backs list does not take "x"\n'],
  ])('%j is refused with one line', async (args, stderr) => {
    expect(await runCommand(world, 'write-backs', args)).toEqual({ status: 1, stdout: '', stderr });
  });

  it('refuses a state that there is none', async () => {
    const end = await runCommand(world, 'write-backs', [], { state: 'lost' });
    expect(end).toMatchObject({ status: 1, stdout: '' });
    expect(end.stderr).toMatch(/^store-sync: --state: .*pending_review/);
  });
});

describe('write-backs of many products at once', () => {
  const bulk = (args: readonly string[], options: object): Promise<CommandEnd> =>
    runCommand(world, 'write-backs', args, { ...options });

  it('show prints one write-back with its fields', async () => {
    const id = await decided('shown', 'approve', 'revert');
    const end = await runCommand(world, 'write-backs', ['show', id]);
    expect(end).toMatchObject({ status: 0, stderr: '' });
    expect(end.stdout).toMatch(/title: reverted to "A shown chair"/);
    expect(end.stdout).toMatch(/decided by /);
    expect(end.stdout).toMatch(/: not mapped \(writeBack\.\S+ would write "/);
    const json = await runCommand(world, 'write-backs', ['show', id], { json: true });
    expect(JSON.parse(json.stdout)).toMatchObject({ id, state: 'reverted', sources: expect.any(Array) });
    expect(await runCommand(world, 'write-backs', ['show', 'nobody'])).toMatchObject({
      ...{ status: 1, stdout: '', stderr: 'store-sync: no write-back nobody\n' },
    });
  });

  it('the status counts what no setting maps, and names the settings that would', async () => {
    const [unmapped] = await world.rows<{ count: number }>(
      `SELECT count(*)::integer AS count FROM write_back, jsonb_array_elements(arrived) AS part
       WHERE part->>'fate' = 'not_mapped'`,
    );
    const count = String(unmapped?.count);
    const { stdout } = await runCommand(world, 'status', []);
    expect(stdout).toContain(
      `  ${count} generated values of the last 30 days are not written: choose where by writeBack`,
    );
  });

  it('undo takes a rejection back', async () => {
    const id = await decided('undone', 'reject');
    expect(await decide('undo', id)).toMatchObject({ status: 0, stderr: '' });
    expect((await rowOf('write-backs', 'undone')).state).toBe('pending_review');
    expect((await decide('undo', id)).status).toBe(1);
  });

  it('show names who last changed a write-back that waits for its decision, and claims no decision', async () => {
    const id = await decided('changed', 'reject', 'undo');
    const { stdout } = await runCommand(world, 'write-backs', ['show', id]);
    expect(stdout).toContain('pending_review');
    expect(stdout).toMatch(/last changed by .+ at .+, and waits for a decision/);
    expect(stdout).not.toContain('decided by');
  });

  it.each([
    [['approve', 'x'], { all: true, store: 'main' }, /either ids/],
    [['approve'], { all: true, store: 'main', dryRun: true }, /--dry-run/],
    [['show'], { all: true, store: 'main' }, /does not take --all/],
    [['approve'], { all: true, store: 'main', limit: '1', yes: true }, /approve does not take --limit/],
    [['approve', 'x'], { filter: ['field=title'] }, /approve ID does not take --filter/],
    [['reject', 'x'], { state: 'pending_review' }, /reject ID does not take --state/],
    [['approve'], { all: true, store: 'main', filter: ['color=red'] }, /filter/],
    [['approve'], { all: true, store: 'main', filter: ['field'] }, /name=value/],
    [['approve'], { all: true, store: 'elsewhere', yes: true }, /elsewhere/],
    [['revert'], { run: '00000000-0000-4000-8000-000000000000', yes: true }, /no run/],
  ])('%j with %j is refused with one line', async (args, options, line) => {
    const end = await bulk(args, options);
    expect(end).toMatchObject({ status: 1, stdout: '' });
    expect(end.stderr).toMatch(/^store-sync: [^\n]*\n$/);
    expect(end.stderr).toMatch(line);
  });

  it('approve --all asks before it writes: without a terminal it needs --yes', async () => {
    const count = String((await rows('write-backs', { state: 'pending_review' })).length);
    for (const all of [{ all: true }, { all: true, store: 'main' }]) {
      const { status, stdout, stderr } = await bulk(['approve'], all);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        new RegExp(`^store-sync: Approve ${count} write-backs, and write them .*--yes[^\\n]*\\n$`),
      );
    }
    const mine = { all: true, store: 'main', filter: ['search=asked-for'] };
    const end = await bulk(['approve'], mine);
    expect(end).toMatchObject({ status: 1, stdout: '' });
    expect(end.stderr).toMatch(/Approve 1 write-back, and write it to the live shop\?.*--yes/);
    expect(titleOf('asked-for')).toBe('A asked-for chair');
    const other = { all: true, store: 'main', filter: ['field=vendor'], yes: true };
    expect(await bulk(['approve'], other)).toMatchObject({ status: 0, stderr: 'no write-backs match\n' });
    const done = await bulk(['approve'], { ...mine, filter: [...mine.filter, 'field=title'], yes: true });
    expect(done.stdout).toMatch(/^1 approved\n$/m);
    expect((await rowOf('write-backs', 'asked-for')).state).toBe('applied');
    expect(titleOf('asked-for')).not.toBe('A asked-for chair');
  });

  it('revert --run says first what would be restored and what would be left, and writes nothing', async () => {
    await decided('put-back', 'approve');
    const run = await runOf(await decided('edited-since', 'approve'));
    const product = world.store.products.byHandle('edited-since');
    world.store.products.merchantEdit(product?.id ?? 0, { title: 'Edited since' });
    const before = titleOf('put-back');
    expect(before).not.toBe('A put-back chair');
    const dry = await bulk(['revert'], { run, dryRun: true });
    expect(dry).toMatchObject({ status: 0, stderr: '' });
    expect(dry.stdout).toContain('title: left alone: somebody edited it');
    expect(titleOf('put-back')).toBe(before);
    const json = await bulk(['revert'], { run, dryRun: true, json: true });
    expect(JSON.parse(json.stdout)).toMatchObject({ action: 'revert', dryRun: true, state: 'done' });
    const done = await bulk(['revert'], { run, yes: true });
    expect(done.status).toBe(0);
    expect([titleOf('put-back'), titleOf('edited-since')]).toEqual(['A put-back chair', 'Edited since']);
    expect((await rowOf('write-backs', 'edited-since')).state).toBe('reverted');
  });

  it('reapply writes reverted texts again, as a new row', async () => {
    const id = await decided('reapplied', 'approve', 'revert');
    expect(titleOf('reapplied')).toBe('A reapplied chair');
    const end = await decide('reapply', id);
    expect(end).toMatchObject({ status: 0, stderr: '' });
    expect(titleOf('reapplied')).not.toBe('A reapplied chair');
    expect((await decide('reapply', id)).status).toBe(1);
  });
});

async function runOf(id: string): Promise<string> {
  const end = await runCommand(world, 'write-backs', ['show', id], { json: true });
  return z.looseObject({ runId: z.string() }).parse(JSON.parse(end.stdout)).runId;
}

describe('deliveries', () => {
  it('list is what the command does by itself', async () => {
    expect(await rows('deliveries', { state: 'processed' })).toHaveLength(NAMES.length);
  });

  it('replay interprets again on the spot, and what was written is not written twice', async () => {
    await decided('replayed', 'approve');
    const { id } = await rowOf('deliveries', 'replayed');
    const writes = world.store.mutations.length;
    const end = await runCommand(world, 'deliveries', ['replay', id]);
    expect(end).toMatchObject({ status: 0, stderr: '' });
    expect((await rowOf('deliveries', 'replayed')).state).toBe('processed');
    expect(world.store.mutations).toHaveLength(writes);
  });

  it.each(['show', 'replay'])('%s of an unknown id exits 1 with one line', async (action) => {
    expect(await runCommand(world, 'deliveries', [action, 'nobody'])).toEqual({
      status: 1,
      stdout: '',
      stderr: 'store-sync: no delivery nobody\n',
    });
  });
});

describe('generate', () => {
  const generate = async (ids: readonly string[], options = {}): Promise<CommandEnd> =>
    runCommand(world, 'generate', ids, { store: 'main', json: true, ...options });
  const open = (): Promise<{ externalId: string }[]> =>
    world.rows(`SELECT external_id AS "externalId" FROM generation_task WHERE state = 'requested'`);

  it('asks for nothing where every product has its content', async () => {
    const end = await generate([]);
    expect(end.status).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({ requested: 0, stopped: null });
  });

  it('passes a product over whose generation succeeded, unless forced', async () => {
    const passed = await generate(['generated']);
    expect(JSON.parse(passed.stdout)).toMatchObject({
      requested: 0,
      passedOver: [{ externalId: externalId('generated'), reason: expect.stringContaining('succeeded') }],
    });
    const forced = await generate(['generated'], { force: true });
    expect(JSON.parse(forced.stdout)).toMatchObject({ requested: 1, passedOver: [] });
    expect(await open()).toEqual([{ externalId: externalId('generated') }]);
  });

  it('with an unknown product asks for none, and exits 1', async () => {
    const requests = world.catalogWrites().length;
    const end = await generate(['approved', 'nobody'], { force: true });
    expect(end).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'store-sync: store main has no linked product nobody\n',
    });
    expect(world.catalogWrites()).toHaveLength(requests);
  });

  it('exits 1 when a brake keeps it from asking at all', async () => {
    await world.configure({ ...REVIEWED, workspaces: { default: { generation: { mode: 'off' } } } });
    const end = await generate([], { force: true });
    await world.configure(REVIEWED);
    expect(end).toMatchObject({ status: 1, stderr: 'store-sync: stopped: generation.mode is off\n' });
  });
});
