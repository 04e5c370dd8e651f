import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { CompletedExport } from './api-types.js';
import { type TestStore, startTestStore } from '../../../test/support/sandbox/test-store.js';
import { tagTarget } from '../../domain/write-target.js';
import { ShopifyConnector } from './connector.js';
import { snapshots } from '../../../test/support/store/scripted-store.js';

/** What the connector and the emulated store only show together; test/contract/store has the rules of every store. */
let sandbox: TestStore;
let connector: ShopifyConnector;

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

it('a whole store reads the same by export and by pages', async () => {
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
      options: [{ name: 'Size', values: ['S', 'M'] }],
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

it('tags that the store takes are added beside one that it refuses', async () => {
  const tags = ['Cotton', 'x'.repeat(256), 'Summer'];
  const outcomes = [];
  const writes = tags.map((tag) => ({ target: tagTarget(tag), value: tag, expected: null, token: null }));
  for await (const some of connector.write(gidOf('mug'), writes)) outcomes.push(...some);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['written', 'refused', 'written']);
  expect(sandbox.products.byHandle('mug')?.tags).toEqual(['Cotton', 'Summer']);
});
