import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connectorFindings } from '../../operations/connector-findings.js';
import type { TextWrite } from '../outcomes.js';
import type { CompletedExport } from './api-types.js';
import { type TestStore, startTestStore } from '../../../test/support/sandbox/test-store.js';
import { tagTarget } from '../../domain/write-target.js';
import { ShopifyConnector } from './connector.js';
import { collect, failureOf, snapshots } from '../../../test/support/store/scripted-store.js';

/** The connector against the store emulator: each method against real GraphQL execution, and its recorded habits. */
let sandbox: TestStore;
let connector: ShopifyConnector;
const option = { name: 'Size', values: ['S', 'M'] };

beforeEach(async () => {
  sandbox = await startTestStore({ exportMs: 0, locales: [] });
  sandbox.loadCsv(
    [
      'Handle,Title,Body (HTML),Vendor,Status,Option1 Name,Option1 Value,Variant SKU,Variant Price,Image Src,Variant Image',
      'mug,Mug,<p>A mug</p>,Acme,active,Title,Default Title,MUG-1,5.00,https://cdn.example.com/mug.jpg,',
      'shirt,Shirt,,Acme,draft,Size,S,SHIRT-S,10.00,https://cdn.example.com/front.jpg,',
      'shirt,,,,,,M,SHIRT-M,10.00,,https://cdn.example.com/m.jpg',
      'cap,Cap,,Other,archived,Title,Default Title,CAP-1,7.00,,',
    ].join('\n'),
  );
  connector = new ShopifyConnector({
    shop: sandbox.shop,
    endpoint: sandbox.url,
    auth: { accessToken: sandbox.accessToken ?? '' },
    apiVersion: '2026-10',
    random: () => 0,
    limits: { pageSize: 2 },
  });
});
afterEach(async () => {
  await connector.close();
  await sandbox.stop();
});

async function exported(): Promise<CompletedExport> {
  const handle = await connector.parts.exports.start('');
  if (handle === null) throw new Error('the export was refused');
  await sandbox.idle();
  const state = await connector.parts.exports.poll(handle);
  if (state.status !== 'completed') throw new Error(`the export is ${JSON.stringify(state)}`);
  return state;
}

const gidOf = (handle: string): string => sandbox.products.byHandle(handle)?.gid ?? '';

describe('a whole store', () => {
  it('reads the same by export and by pages', async () => {
    const job = await exported();
    const byExport = await snapshots(connector.parts.exports.read(job));
    const byPages = await snapshots(connector.parts.pages.products({ query: '', since: null }));
    const byHandle = (products: typeof byExport): typeof byExport =>
      [...products].sort((one, other) => one.handle.localeCompare(other.handle));
    expect(byHandle(byExport)).toEqual(byHandle(byPages));
    expect(byHandle(byExport)).toMatchObject([
      { handle: 'cap', status: 'ARCHIVED' },
      { handle: 'mug', hasOnlyDefaultVariant: true, imageUrls: ['https://cdn.example.com/mug.jpg'] },
      {
        handle: 'shirt',
        status: 'DRAFT',
        options: [option],
        imageUrls: ['https://cdn.example.com/front.jpg', 'https://cdn.example.com/m.jpg'],
        variants: [
          { sku: 'SHIRT-S', imageUrls: [] },
          { sku: 'SHIRT-M', imageUrls: ['https://cdn.example.com/m.jpg'] },
        ],
      },
    ]);
    await expect(connector.parts.pages.count('')).resolves.toBe(3);
    expect(job.rootObjects).toBe(3);
  });

  it.each(['truncated', 'wrong_counts', 'url_expired'] as const)(
    'fails as transient for a %s export',
    async (mode) => {
      sandbox.setBulkMode(mode);
      const job = await exported();
      expect(await failureOf(snapshots(connector.parts.exports.read(job)))).toMatchObject({
        code: 'transient',
      });
    },
  );

  it.each(['failed', 'cancelled_with_url'] as const)('treats a %s export as failed', async (mode) => {
    sandbox.setBulkMode(mode);
    const handle = (await connector.parts.exports.start('')) ?? '';
    await sandbox.idle();
    await expect(connector.parts.exports.poll(handle)).resolves.toMatchObject({ status: 'failed' });
  });

  it('answers null where bulk operations are not enabled', async () => {
    sandbox.setBulkMode('access_denied');
    await expect(connector.parts.exports.start('')).resolves.toBeNull();
  });

  it('does not know an export of another time, and cancels a finished one without error', async () => {
    const job = await exported();
    await connector.parts.exports.cancel(job.handle);
    await expect(connector.parts.exports.poll('gid://shopify/BulkOperation/999999')).resolves.toMatchObject({
      status: 'failed',
    });
  });

  it('narrows by the filter, and fails for one that the store does not know', async () => {
    const products = await snapshots(connector.parts.pages.products({ query: 'vendor:Other', since: null }));
    expect(products.map(({ handle }) => handle)).toEqual(['cap']);
    const wrong = collect(connector.parts.pages.products({ query: 'colour_of_box:red', since: null }));
    expect(await failureOf(wrong)).toMatchObject({ code: 'invalid' });
  });
});

describe('one product', () => {
  it('is read live, written, and shown as the store made it', async () => {
    const gid = gidOf('mug');
    await expect(connector.parts.live.read(gid, 'catalog')).resolves.toMatchObject({
      fields: { descriptionHtml: '<p>A mug</p>' },
    });
    const stored = await connector.parts.writer.fields(gid, {
      title: 'Better mug',
      descriptionHtml: '<P>Sent<BR/></P>',
      'seo.title': 'SEO',
    });
    const live = await connector.parts.live.read(gid, null);
    expect(live?.fields).toMatchObject(stored);
    expect(stored['seo.title']).toBe('SEO');
    await connector.parts.writer.fields(gid, { 'seo.description': 'D' });
    expect((await connector.parts.live.read(gid, null))?.fields).toMatchObject({
      'seo.title': 'SEO',
      'seo.description': 'D',
    });
  });

  it('keeps its old title when the store refuses the new one', async () => {
    const error = await failureOf(connector.parts.writer.fields(gidOf('mug'), { title: 'x'.repeat(256) }));
    expect(error).toMatchObject({ code: 'invalid', fields: { title: [expect.any(String)] } });
    expect(sandbox.products.byHandle('mug')?.title).toBe('Mug');
  });

  it('has its metafields set under guard: what changed meanwhile or is wrong holds up no other', async () => {
    const gid = gidOf('mug');
    const write = (key: string, type: string, value: string, token: string | null = null): TextWrite => {
      return { target: `metafield:catalog.${key}`, type, value, expected: null, token };
    };
    const first = await connector.parts.writer.metafields(gid, [
      write('material', 'single_line_text_field', 'Clay'),
      write('count', 'number_integer', 'many'),
      write('dishwasher', 'boolean', '1'),
    ]);
    expect(first).toMatchObject([
      { outcome: 'written' },
      { outcome: 'refused' },
      { outcome: 'written', value: 'true' },
    ]);
    const live = await connector.parts.live.read(gid, 'catalog');
    const digest = live?.metafields.find(({ key }) => key === 'material')?.digest ?? null;
    sandbox.products.merchantEdit(gid, {
      metafields: [
        { namespace: 'catalog', key: 'material', type: 'single_line_text_field', value: 'Stoneware' },
      ],
    });
    const second = await connector.parts.writer.metafields(gid, [
      write('material', 'single_line_text_field', 'Porcelain', digest),
      write('colour', 'single_line_text_field', 'Blue', digest),
      write('size', 'single_line_text_field', 'L'),
    ]);
    expect(second.map(({ outcome }) => outcome)).toEqual([
      'changed_meanwhile',
      'changed_meanwhile',
      'written',
    ]);
    await connector.parts.writer.removeMetafields(gid, ['metafield:catalog.size', 'metafield:catalog.never']);
    const keys = (await connector.parts.live.read(gid, 'catalog'))?.metafields.map(({ key }) => key);
    expect(keys?.sort()).toEqual(['dishwasher', 'material']);
  });
});

describe('faults in transit', () => {
  it('survives THROTTLED and 500, and leaves a write of unknown fate to who can read again first', async () => {
    sandbox.failNext(500);
    await connector.parts.live.read(gidOf('mug'), null);
    const before = sandbox.mutations.length;
    sandbox.resetNext({ when: 'after' });
    await expect(connector.parts.writer.fields(gidOf('mug'), { title: 'Again' })).rejects.toMatchObject({
      code: 'transient',
      outcomeUnknown: true,
    });
    expect(sandbox.products.byHandle('mug')?.title).toBe('Again');
    expect(sandbox.mutations.length - before).toBe(1);
    sandbox.throttleNext(1);
    await expect(connector.parts.pages.count('')).resolves.toBe(3);
  });

  it('subscribes once, also when the answer was lost', async () => {
    const uri = 'https://sync.example.com/webhooks/shopify/main';
    sandbox.resetNext({ when: 'after', operation: 'WebhookCreate' });
    await connector.subscribe(uri, null);
    await connector.subscribe(uri, null);
    expect(
      sandbox
        .webhookSubscriptions()
        .map(({ topic }) => topic)
        .sort(),
    ).toEqual(['APP_UNINSTALLED', 'PRODUCTS_CREATE', 'PRODUCTS_DELETE', 'PRODUCTS_UPDATE']);
  });

  it('ends the subscriptions at one address and leaves those at others alone', async () => {
    const [old, kept] = ['https://old.example.com/webhooks/shopify/main', 'https://kept.example.com/events'];
    await connector.subscribe(old, null);
    await connector.subscribe(kept, old);
    await connector.subscribe(kept, old);
    expect(new Set(sandbox.webhookSubscriptions().map(({ uri }) => uri))).toEqual(new Set([kept]));
  });

  it('starts one export though the answer was lost', async () => {
    sandbox.resetNext({ when: 'after', operation: 'BulkRun' });
    const outcome = await connector.parts.exports.start('').catch((error: unknown) => error);
    // Found again, or left open.
    if (typeof outcome !== 'string')
      expect(outcome).toMatchObject({ code: 'transient', outcomeUnknown: true });
    const starts = sandbox.requests.filter(({ operationName }) => operationName === 'BulkRun');
    expect(starts).toHaveLength(1);
  });

  it('finds all well, and a revoked token', async () => {
    expect((await connectorFindings(connector)).map(({ level }) => level)).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
      'ok',
    ]);
    sandbox.revokeTokens();
    await expect(connectorFindings(connector)).resolves.toMatchObject([
      { level: 'fail', what: 'store access' },
    ]);
  });
});

it('tags that the store takes are added beside one that it refuses', async () => {
  const tags = ['Cotton', 'x'.repeat(256), 'Summer'];
  const outcomes = [];
  const writes = tags.map((tag) => ({ target: tagTarget(tag), value: tag, expected: null, token: null }));
  for await (const some of connector.write(gidOf('mug'), writes)) outcomes.push(...some);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['written', 'refused', 'written']);
  expect(sandbox.products.byHandle('mug')?.tags).toEqual(['Cotton', 'Summer']);
});
