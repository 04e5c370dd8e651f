import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { PLAIN_VARIANT } from '../../support/e2e-products.js';
import { World } from '../../support/e2e-world.js';
import { runCommand, runLine, type CommandEnd } from '../../support/run-command.js';

const NAMES = ['edited', 'overwritten', 'deleted', 'archived', 'untouched', 'attribute', 'forgotten'];
let world: World;
/** The command right after the content was written, and its requests to the catalog. */
let first: CommandEnd;
let firstAsked: readonly string[];
const before = new Map<string, { id: number; title: string }>();

beforeAll(async () => {
  world = await World.open({
    settings: { stores: { main: { writeBack: { sections: { namespace: 'catalog' } } } } },
  });
  for (const [index, name] of NAMES.entries()) {
    const product = world.store.products.create({
      title: `A ${name} lamp`,
      handle: name,
      descriptionHtml: `<p>${name}</p>`,
      vendor: 'Lux',
      variants: [{ ...PLAIN_VARIANT, sku: `SKU-${index}`, barcode: `400000000000${index}` }],
    });
    before.set(name, { id: product.id, title: product.title });
  }
  await world.whileUp(async () => {
    await world.runToEnd();
  });
  world.catalog.resetRequests();
  first = await drift();
  firstAsked = world.catalog.requests().map(({ method }) => method);
});

afterAll(async () => {
  await world.end();
});

const drifted = z.object({
  checked: z.number(),
  drifted: z.number(),
  products: z.array(
    z.object({
      externalId: z.string(),
      findings: z.array(
        z.looseObject({
          kind: z.string(),
          target: z.string().nullable(),
          live: z.string().nullable(),
          written: z.string().nullable(),
        }),
      ),
    }),
  ),
});

const drift = (options = {}): Promise<CommandEnd> =>
  runCommand(world, 'drift', [], { store: 'main', ...options });
const externalId = (name: string): string => `shopify:main.myshopify.com:${String(before.get(name)?.id)}`;

async function findings(): Promise<Record<string, string[]>> {
  const end = await drift({ json: true });
  const { products } = drifted.parse(JSON.parse(end.stdout));
  return Object.fromEntries(
    NAMES.map((name) => [
      name,
      products
        .filter((product) => product.externalId === externalId(name))
        .flatMap((product) => product.findings.map(({ kind, target }) => `${kind} ${target ?? ''}`.trim())),
    ]),
  );
}

describe('drift', () => {
  it('finds none right after the content was written, and exits 0', () => {
    expect(first.status).toBe(0);
    expect(first.stdout).toBe('0 of 7 products of main have drifted\n');
  });

  it('distinguishes edited, overwritten, deleted and unpublished products, and exits 2', async () => {
    const { products } = world.store;
    const ids = (name: string): number => before.get(name)?.id ?? 0;
    products.merchantEdit(ids('edited'), { title: 'By hand' });
    products.merchantEdit(ids('overwritten'), { title: before.get('overwritten')!.title });
    products.delete(ids('deleted'));
    products.archive(ids('archived'));
    const [metafield] = products.get(ids('attribute'))!.metafields;
    products.merchantEdit(ids('attribute'), {
      metafields: [
        { namespace: metafield!.namespace, key: metafield!.key, type: metafield!.type, value: 'other' },
      ],
    });
    expect((await drift()).status).toBe(2);
    const { forgotten: _forgotten, ...found } = await findings();
    expect(found).toEqual({
      edited: ['edited title'],
      overwritten: ['overwritten title'],
      deleted: ['deleted'],
      archived: ['unpublished'],
      untouched: [],
      attribute: [`edited metafield:${metafield!.namespace}.${metafield!.key}`],
    });
  });

  it('shows what stands there and what was written', async () => {
    world.store.products.merchantEdit(before.get('edited')?.id ?? 0, { title: 'By hand' });
    const { products } = drifted.parse(JSON.parse((await drift({ json: true })).stdout));
    const [finding] = products.find((product) => product.externalId === externalId('edited'))!.findings;
    expect(finding).toMatchObject({ live: 'By hand', written: expect.stringMatching(/lamp/i) });
  });

  it('writes nothing on either side and reads in batches', async () => {
    const dump = await world.contentDump();
    world.catalog.resetRequests();
    const mutations = world.store.mutations.length;
    const requests = world.store.requests.length;
    await drift();
    expect(await world.contentDump()).toBe(dump);
    // A product that is gone is asked for by itself.
    expect(world.catalogWrites()).toEqual([]);
    expect(firstAsked).toEqual(['GET']);
    expect(world.store.mutations).toHaveLength(mutations);
    expect(world.store.requests.length - requests).toBeLessThan(NAMES.length);
  });

  it('reports a product that was deleted in the catalog', async () => {
    const { id } = (await world.catalogProducts()).find(
      (product) => product.external_id === externalId('forgotten'),
    )!;
    await world.catalogApi('DELETE', `/products/${id}/`);
    expect((await findings())['forgotten']).toEqual(['gone_from_catalog']);
    const { stdout } = await drift();
    expect(stdout).toContain('the catalog no longer has the product; the next full run creates it again');
  });

  it('exits 1 when the store cannot be read', async () => {
    const end = await runLine(world, ['drift', '--store', 'main'], { SHOPIFY_ACCESS_TOKEN: 'revoked' });
    expect(end).toMatchObject({ status: 1, stdout: '' });
    expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('of an unknown store exits 1 and names the configured ones', async () => {
    expect(await drift({ store: 'nowhere' })).toMatchObject({
      status: 1,
      stderr: 'store-sync: no store "nowhere" is configured (configured: main)\n',
    });
  });
});

describe('products show', () => {
  const show = (id: string, options = {}): Promise<CommandEnd> =>
    runCommand(world, 'products', ['show', id], options);

  it.each([
    ['external_id', () => externalId('untouched')],
    ['SKU', () => 'SKU-4'],
    ['barcode', () => '4000000000004'],
    ['handle', () => 'untouched'],
  ])('finds a product by its %s', async (_kind, id) => {
    const end = await show(id(), { json: true });
    expect(end.status).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({
      externalId: externalId('untouched'),
      link: { state: 'linked' },
    });
  });

  it('finds a product by a variant’s external_id', async () => {
    const end = await show(`${externalId('untouched')}:12345`);
    expect(end.stdout).toContain(externalId('untouched'));
  });

  it('shows the whole timeline in order, each line with its reason, and ends with the reason for the present state', async () => {
    const { stdout, status } = await show('untouched');
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    const at = (text: string): number => lines.findIndex((line) => line.includes(text));
    const order = [
      'to be created',
      'created in the catalog',
      'content requested',
      'content arrived',
      'text written to the shop',
    ].map(at);
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((one, other) => one - other));
    expect(stdout).toContain('new in the store');
    expect(stdout).toMatch(/title: "A untouched lamp" -> "/);
    expect(lines.at(-1)).toMatch(/^ {2}=> content was written to the store at /);
  });

  it('exits 1 with one line on an unknown ID', async () => {
    expect(await show('nobody')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'store-sync: no product nobody\n',
    });
  });
});
