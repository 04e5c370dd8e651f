import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type Post } from '../../src/sandbox/woocommerce/index.js';
import { startTestShop, type TestShop } from '../support/sandbox/test-shop.js';
import { World } from '../support/e2e-world.js';
import type { Settings } from '../support/e2e-settings.js';
import { runCommand, syncHere, type CommandEnd } from '../support/run-command.js';

let shop: TestShop;
let world: World;

const settings = (changes: Settings = {}): Settings => ({
  kind: 'woocommerce',
  workspace: 'default',
  url: shop.url,
  auth: { consumerKey: shop.consumerKey, consumerSecret: shop.consumerSecret },
  schedule: { cron: '0 0 29 2 *' },
  ...changes,
});

async function open(names: readonly string[], changes: Settings = {}): Promise<void> {
  shop = await startTestShop();
  for (const name of names)
    shop.products.create({ row: { name, description: `<p>${name}</p>` }, sku: name.replaceAll(' ', '-') });
  world = await World.open({ stores: [], settings: { stores: { main: settings(changes) } } });
}

async function close(): Promise<void> {
  await world.end();
  await shop.stop();
}

/** Requests that changed something in the shop: the probe of the key is a write to no product. */
function writes(): number {
  return shop.requests.filter(({ method, path }) => method !== 'GET' && path !== 'wc/v3/products/0').length;
}

describe('a shop that has moved to another address', () => {
  let url: string;
  beforeAll(async () => {
    await open(['Oak chair', 'Oak table']);
    expect((await syncHere(world)).run).toMatchObject({ status: 'succeeded', error: null });
    url = shop.url.replace('127.0.0.1', 'localhost');
    shop.shop.homeUrl = url;
  });
  beforeEach(() => world.configure({ stores: { main: settings({ url }) } }));
  afterAll(close);

  it('is stopped, whatever the configuration says, until a person says that it is the same shop, whose products keep their entries and get their new addresses', async () => {
    const before = [world.catalogWrites(), writes()];
    const { status, run } = await syncHere(world);
    expect([status, run.status]).toEqual([1, 'failed']);
    expect(run.error).toMatch(
      /was at 127\.0\.0\.1:\d+ and answers as localhost:\d+ now: .*retry --accept-shop/,
    );
    const retried = await runCommand(world, 'retry', [], { store: 'main' });
    expect(retried).toMatchObject({ status: 1, stderr: expect.stringContaining('retry --accept-shop') });
    expect([world.catalogWrites(), writes()]).toEqual(before);

    expect(await runCommand(world, 'retry', [], { store: 'main', acceptShop: true })).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect((await syncHere(world)).run).toMatchObject({
      status: 'succeeded',
      counts: { seen: 2, created: 0, updated: 2, orphaned: 0 },
    });
    expect(await world.catalogProducts()).toHaveLength(2);
  });

  it('is served by one store: a second one at the address of a copy is refused', async () => {
    const copy = await startTestShop({ storeId: shop.shop.storeId });
    try {
      await world.configure({
        stores: { main: settings(), copy: settings({ url: copy.url }) },
      });
      const end = await runCommand(world, 'sync', [], { store: 'copy', json: true });
      expect(end.status).toBe(1);
      expect(end.stdout + end.stderr).toContain('stores.main already has the products of the shop');
    } finally {
      await copy.stop();
    }
  });
});

describe('texts for a shop of the second kind', () => {
  const NAMES = ['all-edited', 'all-plain', 'counted', 'kept', 'returned', 'late'];
  const FIELDS = { name: 'title', html_description: 'descriptionHtml', description: 'shortDescription' };
  const ids = new Map<string, number>();
  const rowSchema = z.looseObject({ id: z.string(), externalId: z.string(), state: z.string() });

  const post = (name: string): Post => shop.products.get(ids.get(name)!)!;
  const texts = (name: string): readonly string[] => {
    const { row } = post(name);
    return [row.name, row.description, row.shortDescription];
  };
  const before = (name: string): readonly string[] => [
    `A ${name} lamp`,
    `<p>The ${name} lamp of brass.</p>`,
    `Of ${name} brass.`,
  ];
  const command = (name: string, args: readonly string[], options: object = {}): Promise<CommandEnd> =>
    runCommand(world, name, args, { ...options });
  const rowOf = async (name: string): Promise<z.output<typeof rowSchema>> => {
    const end = await command('write-backs', [], { json: true });
    const { items } = z.object({ items: z.array(rowSchema) }).parse(JSON.parse(end.stdout));
    return items.find(({ externalId }) => externalId.endsWith(`:${String(ids.get(name))}`))!;
  };

  const approve = async (...names: string[]): Promise<void> => {
    for (const name of names)
      await world.api('POST', `/api/v1/write-backs/${(await rowOf(name)).id}/approve`, {});
    await world.settled();
  };

  const journalOf = async (name: string): Promise<readonly object[]> => {
    const end = await command('write-backs', ['show', (await rowOf(name)).id], { json: true });
    return z.object({ fields: z.array(z.looseObject({})) }).parse(JSON.parse(end.stdout)).fields;
  };

  beforeAll(async () => {
    await open([], { writeBack: { mode: 'review', fields: FIELDS } });
    for (const name of NAMES) {
      const [title = '', description = '', shortDescription = ''] = before(name);
      const created = shop.products.create({
        row: { name: title, description, shortDescription },
        sku: name,
      });
      ids.set(name, created.id);
    }
    await world.startHere();
    expect(await world.runToEnd()).toMatchObject({ status: 'succeeded', counts: { created: NAMES.length } });
    await world.settled();
  });
  afterAll(close);

  it('are counted by metrics, as are the requests', async () => {
    await approve('counted');
    const metrics = await (await fetch(`${world.url}/metrics`)).text();
    expect(metrics).toMatch(/^store_sync_write_backs_total\{state="applied"\} [1-9]/m);
    expect(metrics).toMatch(
      /^store_sync_store_requests_total\{store="main",operation="PUT wc\/v3\/products\/#",outcome="ok"\} [1-9]/m,
    );
  });

  it('are written by an approval of all, but where the merchant edited', async () => {
    shop.products.edit(ids.get('all-edited')!, { shortDescription: 'By hand.' });
    const chosen = { all: true, store: 'main', filter: ['search=all-'], yes: true };
    const end = await command('write-backs', ['approve'], chosen);
    expect(end.stdout + end.stderr).toMatch(/1 left: edited by the merchant/);
    await world.settled();
    expect(texts('all-plain')[1]).toContain('Written by rules');
    expect(texts('all-plain')[2]).toContain('Written by rules');
    expect(texts('all-edited')[2]).toBe('By hand.');
  });

  it('are in the journal as the shop kept them, with what they replaced', async () => {
    await approve('kept');
    const [, , short] = texts('kept');
    expect(await journalOf('kept')).toContainEqual(
      expect.objectContaining({
        target: 'metafield:product.short_description',
        before: before('kept')[2],
        after: short,
      }),
    );
  });

  it('go back to the merchant’s by a revert of their run, but where he edited since', async () => {
    await approve('returned', 'late');
    expect(texts('returned')).not.toEqual(before('returned'));
    shop.products.edit(ids.get('late')!, { description: '<p>By hand.</p>' });
    const [, , leftAlone] = texts('all-edited');
    const { id } = await rowOf('returned');
    const shown = await command('write-backs', ['show', id], { json: true });
    const { runId } = z.looseObject({ runId: z.string() }).parse(JSON.parse(shown.stdout));
    await command('write-backs', ['revert'], { run: runId, yes: true });
    await world.settled();
    expect(texts('returned')).toEqual(before('returned'));
    expect(texts('late')).toEqual([before('late')[0], '<p>By hand.</p>', before('late')[2]]);
    expect(texts('all-edited')[2]).toBe(leftAlone);
  });
});
