import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { SandboxProduct } from '../../../src/sandbox/store/index.js';
import { single } from '../../support/e2e-products.js';
import { until, World } from '../../support/e2e-world.js';
import { MEDIA_SHAPES } from '../../support/merchant-media.js';
import { runCommand } from '../../support/run-command.js';
import { Visitor } from '../dashboard/dashboard-world.js';

/** Without the gates that are on by default. */
const UNGATED = { shrink: 0, language: false };
/** One store for each set of settings, all under one daemon. The test makes the service's results. */
const WRITE_BACK: Readonly<Record<string, object>> = {
  main: {
    fields: {
      name: 'title',
      html_description: 'descriptionHtml',
      category: 'category',
      'sections.seo_title': 'seo.title',
      'sections.keywords': 'tags',
      'sections.alt': 'images[].alt',
    },
    attributes: { material: 'custom.material', width: 'custom.width', power: 'custom.power' },
    definitions: 'create',
    sections: { namespace: 'catalog' },
    gates: UNGATED,
  },
  plain: { gates: UNGATED },
  replacing: { keep: [], gates: UNGATED },
  reviewed: { mode: 'review', keep: [], gates: UNGATED },
  off: { mode: 'off' },
};
const STORES = Object.keys(WRITE_BACK);
const SENTENCE = 'What the merchant wrote about the lamp stays here. ';
const MEDIA = '<img src="https://cdn.example.com/a.jpg"><table><tbody><tr><td>5 W</td></tr></tbody></table>';

/** Everything that the shapes of media show. */
const ALL_MEDIA = '11 images, 2 frames, 1 video and 1 table of the merchant';

const rowSchema = z.looseObject({
  id: z.string(),
  externalId: z.string(),
  state: z.string(),
  resultAt: z.string(),
  reason: z.string().nullable(),
  fields: z.array(
    z.looseObject({ target: z.string(), outcome: z.string().nullable(), reason: z.string().nullable() }),
  ),
  arrived: z.array(z.looseObject({ from: z.string(), fate: z.string(), setting: z.string().nullable() })),
  gates: z.array(z.looseObject({ gate: z.string(), found: z.string().nullable() })),
});
type Row = z.output<typeof rowSchema>;

let world: World;
let results = 0;

beforeAll(async () => {
  world = await World.open({
    stores: STORES,
    settings: {
      workspaces: { default: { generation: { mode: 'off' }, webhook: { register: false } } },
      stores: Object.fromEntries(STORES.map((key) => [key, { writeBack: WRITE_BACK[key] }])),
    },
  });
  for (const key of STORES)
    single(world.storeOf(key), 'lamp', {
      sku: `LAMP-${key}`,
      descriptionHtml: `<p>${SENTENCE.repeat(6)}</p>${MEDIA}`,
      images: [{ url: 'https://cdn.example.com/lamp.jpg', alt: null }],
      tags: ['Old'],
    });
  single(world.storeOf('replacing'), 'shapes', {
    descriptionHtml: MEDIA_SHAPES.map(({ html }) => `<p>${SENTENCE}</p>${html}`).join(''),
  });
  const { products } = world.store;
  products.category('Home > Lamps');
  const choices = { name: 'choices', value: '["Steel","Wood"]' };
  products.define({
    ...{ namespace: 'custom', key: 'material', type: 'single_line_text_field' },
    validations: [choices],
  });
  products.define({ namespace: 'custom', key: 'width', type: 'dimension' });
  await world.startHere();
  for (const store of STORES)
    expect(await world.runToEnd({ store })).toMatchObject({ status: 'succeeded', counts: { failed: 0 } });
});
afterAll(() => world.end());

const held = (store: string, handle = 'lamp'): SandboxProduct => {
  const product = world.storeOf(store).products.byHandle(handle);
  if (product === undefined) throw new Error(`${store} has no ${handle}`);
  return product;
};
const externalIdOf = (store: string, handle = 'lamp'): string =>
  `shopify:${store}.myshopify.com:${String(held(store, handle).id)}`;

/** The write-back of a product’s newest result, once nothing works on it any more. */
async function rowOf(store: string, handle = 'lamp'): Promise<Row> {
  await world.settled();
  const path = `/api/v1/write-backs?externalId=${encodeURIComponent(externalIdOf(store, handle))}`;
  const { body } = await world.api('GET', path);
  const { items } = z.object({ items: z.array(rowSchema) }).parse(body);
  const [row] = items.toSorted((one, other) => (one.resultAt < other.resultAt ? 1 : -1));
  if (row === undefined) throw new Error(`no write-back of ${handle} in ${store}`);
  return row;
}

/** Sends a result of the service for a product, and waits until it has been dealt with. */
async function result(store: string, content: object, handle = 'lamp'): Promise<Row> {
  results += 1;
  const externalId = externalIdOf(store, handle);
  const listed = (await world.catalogProducts()).find(({ external_id }) => external_id === externalId);
  const at = new Date(Date.now() + results * 1000).toISOString();
  const task = {
    id: `settings-${String(results)}`,
    status: 'SUCCESS',
    created_at: at,
    updated_at: at,
    urls: [],
  };
  const product = { id: listed?.id, external_id: externalId, ...content };
  const delivery = {
    action: 'product_generated',
    status: 'SUCCESS',
    credits: { consumed: 1, remaining: 9 },
    task,
    product,
  };
  expect(await world.deliver(JSON.stringify(delivery))).toBe(200);
  return rowOf(store, handle);
}

const outcomes = ({ fields }: Row): Record<string, string | null> =>
  Object.fromEntries(fields.map(({ target, outcome }) => [target, outcome]));
const metafields = ({ metafields: all }: Pick<SandboxProduct, 'metafields'>): Record<string, string> =>
  Object.fromEntries(all.map(({ namespace, key, value }) => [`${namespace}.${key}`, value]));

describe('a result under writeBack settings', () => {
  it('fills fields, tags, category, alternative texts, attributes and sections where they are mapped', async () => {
    const row = await result('main', {
      name: 'Warm lamp',
      html_description: '<p>A warm lamp.</p>',
      category: 'Home > Lamps',
      sections: [
        { code: 'seo_title', value: 'Warm lamp for the desk' },
        { code: 'keywords', value: ['Warm', 'old'] },
        { code: 'alt', value: 'A lamp on a desk' },
        { code: 'material', value: 'steel' },
        { code: 'width', value: '10 x 20 cm' },
        { code: 'power', value: 5 },
        { code: 'glow', value: 'soft' },
      ],
    });
    const lamp = held('main');
    expect(lamp).toMatchObject({
      title: 'Warm lamp',
      seoTitle: 'Warm lamp for the desk',
      category: { fullName: 'Home > Lamps' },
      tags: ['Old', 'Warm'],
      media: [{ alt: 'A lamp on a desk' }],
    });
    expect(metafields(lamp)).toMatchObject({
      'custom.material': 'Steel',
      'custom.power': '5',
      'catalog.glow': 'soft',
    });
    expect(outcomes(row)).toMatchObject({ 'metafield:custom.width': 'unfit', title: 'written' });
    expect(row.fields.find(({ target }) => target === 'metafield:custom.width')?.reason).toContain(
      'it is no dimension',
    );
  });

  it('says under an empty keep what of the merchant it removed', async () => {
    const row = await result('replacing', { html_description: '<p>A text.</p>' }, 'shapes');
    expect(row.fields).toMatchObject([{ outcome: 'written', reason: `generated; it removes ${ALL_MEDIA}` }]);
    expect(held('replacing', 'shapes').descriptionHtml).toBe('<p>A text.</p>');
  });

  it('lists what no setting maps with the setting that would, and status counts it', async () => {
    const row = await result('plain', {
      name: 'Warm lamp',
      sections: [{ code: 'material', value: 'steel' }],
    });
    expect(row.arrived).toContainEqual(
      expect.objectContaining({
        ...{ from: 'sections.material', fate: 'not_mapped', setting: 'writeBack.sections.namespace' },
      }),
    );
    const shown = await runCommand(world, 'write-backs', ['show', row.id]);
    expect(shown.stdout).toContain(
      'sections.material: not mapped (writeBack.sections.namespace would write "steel")',
    );
    const { body } = await world.api('GET', '/api/v1/status');
    const { stores } = z
      .object({ stores: z.array(z.looseObject({ store: z.string(), unmappedParts: z.number() })) })
      .parse(body);
    expect(stores.find(({ store }) => store === 'plain')?.unmappedParts).toBe(1);
  });

  it('waits for review under mode: review, and no content is written under mode: off', async () => {
    expect((await result('reviewed', { name: 'Warm lamp' })).state).toBe('pending_review');
    expect(held('reviewed').title).toBe('Product lamp');
    await expect(result('off', { name: 'Warm lamp' })).rejects.toThrow('no write-back');
    expect(held('off').title).toBe('Product lamp');
  });

  it('shows on its page what an empty keep would remove, before a person approves it', async () => {
    const row = await result('reviewed', { html_description: '<p>A text.</p>' });
    const visitor = new Visitor(world.url);
    await visitor.signIn(world.adminToken);
    const { text } = await visitor.get(`/write-backs/${row.id}`);
    expect(text).toContain('generated; it removes 1 image and 1 table of the merchant');
  });
});

describe('a saved plan', () => {
  it('names by the API the media that a generated description would remove under an empty keep', async () => {
    single(world.storeOf('replacing'), 'vase', { descriptionHtml: `<p>A vase.</p>${MEDIA}` });
    const made = await world.api('POST', '/api/v1/stores/replacing/plans', { full: true });
    const { id } = z.looseObject({ id: z.string() }).parse(made.body);
    const entries = await until('the plan', async () => {
      const { body } = await world.api('GET', `/api/v1/plans/${id}/entries`);
      const { items } = z.object({ items: z.array(z.looseObject({ label: z.string() })) }).parse(body);
      return items.length > 0 ? items : null;
    });
    expect(entries).toContainEqual(
      expect.objectContaining({ label: 'Product vase', mediaLost: '1 image and 1 table' }),
    );
  });
});
