import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CatalogClient } from '../../../src/catalog/client.js';
import { CodedError } from '../../../src/domain/errors.js';
import type { SyncRunEntity } from '../../../src/persistence/entities/index.js';
import { snapshot } from '../../support/fake-store.js';
import { SandboxCatalog } from '../../support/sandbox-stages.js';
import { sqlRow, sqlRows } from '../../support/sql.js';
import { Stages, STORE, WaitingClock } from '../../support/stages.js';

/** The format of the sandbox. */
const COLUMNS = Object.fromEntries(
  [
    ...[
      'external_id',
      'name',
      'description',
      'html_description',
      'brand',
      'category',
      'url',
      'sku',
      'barcode',
    ],
    ...['mpn', 'asin', 'images', 'crawl_configuration', 'product_lists', 'tags_to_update', 'open_attributes'],
    ...['metadata', 'variants'],
  ].map((field) => [field, field]),
);

/** The largest body that the service takes. */
const BODY_LIMIT = 100_000;

/** Waits a little: the service works in real time. */
class PatientClock extends WaitingClock {
  override readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    this.advance(ms);
    await new Promise((resolve) => setTimeout(resolve, 15));
    signal?.throwIfAborted();
  };
}

let stages: Stages;
let catalog: SandboxCatalog;
let uploads: string[];
beforeAll(async () => {
  stages = await Stages.open();
  catalog = await SandboxCatalog.open(stages, {}, { bodyLimitBytes: BODY_LIMIT });
});
beforeEach(async () => {
  await start();
});
afterAll(async () => {
  await catalog.close();
  await stages.close();
});

async function start(): Promise<void> {
  await stages.reset();
  uploads = [];
  stages.clock = new PatientClock();
  for await (const { id } of catalog.client.iterateProducts()) await catalog.client.deleteProduct(id);
  withFormat();
  stages.store.put(
    snapshot(1, { title: 'Lamp, “warm”\nwhite', descriptionHtml: '<p>A "lamp", 5 W</p>' }),
    snapshot(2, { vendor: 'Müller' }),
    snapshot(3, {
      hasOnlyDefaultVariant: false,
      options: [{ name: 'Size', values: ['S', 'M'] }],
      variants: ['S', 'M'].map((size) => ({
        ...snapshot(3).variants[0]!,
        externalId: `${snapshot(3).externalId}:${size === 'S' ? '31' : '32'}`,
        title: size,
        sku: `SKU-3-${size}`,
        barcode: null,
        options: [{ name: 'Size', value: size }],
      })),
    }),
  );
  overUpload((file, name, options) => catalog.client.uploadCsv(file, name, options));
}

function withFormat(uploadCsv: object = {}): void {
  const assumptions = { uploadCsv: { columns: COLUMNS, ...uploadCsv } };
  stages.settings = { store: {}, workspace: { firstLoad: 'csv', assumptions, generation: { mode: 'off' } } };
}

/** Counts uploads, and lets a test decide the outcome of one. */
function overUpload(uploadCsv: CatalogClient['uploadCsv']): void {
  stages.client = new Proxy(catalog.client, {
    get(client, name) {
      if (name === 'uploadCsv')
        return (...args: Parameters<CatalogClient['uploadCsv']>) => {
          uploads.push(args[1]);
          return uploadCsv(...args);
        };
      const member: unknown = Reflect.get(client, name, client);
      return typeof member === 'function' ? (member.bind(client) as unknown) : member;
    },
  });
}

const LINKS = `SELECT external_id, state, label, handle, withheld, pushed_fields, seen_fields, source_fingerprint,
  generation_due, (SELECT jsonb_agg(key ORDER BY key) FROM jsonb_object_keys(variant_links) AS key) AS variants
  FROM store_product ORDER BY external_id`;
const links = () => sqlRows(stages.db, LINKS);
/** By external_id: requests that run at once create products in any order. */
const held = async () =>
  (await catalog.all())
    .sort((one, other) => (one.external_id ?? '').localeCompare(other.external_id ?? ''))
    .map(({ id: _id, ...product }) => withoutIds(product));
const upserts = (run: SyncRunEntity) =>
  stages.actionsOf(run.id).then((actions) => actions.filter(({ kind }) => kind === 'create').length);

/** Products with descriptions of so many letters. */
const long = (first: number, count: number, letters: number) =>
  Array.from({ length: count }, (_each, index) =>
    snapshot(first + index, { descriptionHtml: `<p>${'warm '.repeat(letters / 5)}</p>` }),
  );

/** The number of products in the catalog. Throws when two have one external_id. */
async function heldOnce(): Promise<number> {
  const ids = (await catalog.all()).map(({ external_id: id }) => id);
  if (new Set(ids).size < ids.length) throw new Error(`doubled: ${ids.toSorted().join(', ')}`);
  return ids.length;
}

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !['id', 'created_at'].includes(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutIds(member)]));
}

async function requestsOf(run: SyncRunEntity): Promise<number> {
  const row = await sqlRow<{ requests: { catalog: number } }>(
    stages.db,
    `SELECT requests FROM sync_run WHERE id = $1`,
    [run.id],
  );
  return row?.requests.catalog ?? 0;
}

describe('a first load by file', () => {
  it('ends with the same products and links as one by requests, and the next run changes nothing', async () => {
    stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 3 } });
    const [byRequests, linksByRequests] = [await held(), await links()];
    await start();
    const run = await stages.sync();
    expect(run).toMatchObject({
      state: 'succeeded',
      counts: { created: 3, updated: 0, failed: 0 },
      notes: [],
    });
    expect(uploads).toHaveLength(1);
    expect(await held()).toEqual(byRequests);
    expect(await links()).toEqual(linksByRequests);
    expect(await stages.sync()).toMatchObject({ counts: { seen: 3, unchanged: 3 } });
    expect(uploads).toHaveLength(1);
  });

  it('takes as many files as their size asks for', async () => {
    withFormat({ maxRows: 2 });
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 3 } });
    expect(uploads).toHaveLength(2);
    expect(await held()).toHaveLength(3);
  });

  it('takes as many files as their bytes ask for, none of which is over the bound', async () => {
    withFormat({ maxBytes: 30_000 });
    stages.store.put(...long(100, 40, 3_000));
    const sizes: number[] = [];
    overUpload(async (file, ...others) => {
      sizes.push(typeof file === 'function' ? (await buffer(file())).length : file.length);
      return catalog.client.uploadCsv(file, ...others);
    });
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { created: 43, failed: 0 }, notes: [] });
    expect(sizes.length).toBeGreaterThan(4);
    expect(sizes.filter((bytes) => bytes > 30_000)).toEqual([]);
    expect(await heldOnce()).toBe(43);
    expect(await requestsOf(run)).toBeLessThan(43);
  });

  it('sends by a request the product that is larger than a file', async () => {
    withFormat({ maxBytes: 30_000 });
    stages.store.put(...long(2, 1, 40_000));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 3 }, notes: [] });
    expect(uploads).toHaveLength(1);
    expect(await heldOnce()).toBe(3);
    expect(await stages.sync()).toMatchObject({ counts: { unchanged: 3 } });
  });

  it('sends by a request what has no column', async () => {
    const { brand: _brand, variants: _variants, ...columns } = COLUMNS;
    withFormat({ columns });
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 3 } });
    expect(uploads).toHaveLength(1);
    expect((await held()).map((product) => (product as { brand: string }).brand)).toContain('Müller');
    expect((await catalog.of(snapshot(3).externalId))?.variants).toHaveLength(2);
    expect(await stages.sync()).toMatchObject({ counts: { unchanged: 3 } });
  });

  it('reports a refused row with the service’s own reason, and keeps the others', async () => {
    stages.store.put(snapshot(2, { vendor: 'x'.repeat(1001) }));
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'partial', counts: { created: 2, failed: 1 } });
    expect(run.error).toContain('brand');
    expect(await held()).toHaveLength(2);
  });

  it('creates no second product where one with the external_id exists, and overwrites no other product', async () => {
    await catalog.hold({ external_id: snapshot(1).externalId, name: 'Older' });
    await catalog.hold({ external_id: 'of another system', name: 'Foreign', sku: 'SKU-2' });
    const run = await stages.sync();
    expect(run.counts).toMatchObject({ failed: 0 });
    expect(uploads).toHaveLength(1);
    const products = await catalog.all();
    expect(products.map(({ external_id: id }) => id).sort()).toEqual(
      ['of another system', ...[1, 2, 3].map((id) => snapshot(id).externalId)].sort(),
    );
    expect(products).toContainEqual(expect.objectContaining({ name: 'Foreign', sku: 'SKU-2' }));
    expect((await stages.link(1)).state).toBe('linked');
  });

  it('finds in the listing what came of an upload without an answer, and does not repeat it', async () => {
    overUpload(async (...args) => {
      await catalog.client.uploadCsv(...args);
      throw new CodedError('transient', 'no answer', { outcomeUnknown: true });
    });
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 3 } });
    expect(uploads).toHaveLength(1);
    expect(await held()).toHaveLength(3);
  });

  it('sends by requests what an upload without an answer did not bring', async () => {
    overUpload(() => Promise.reject(new CodedError('transient', 'no answer', { outcomeUnknown: true })));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 3 } });
    expect(uploads).toHaveLength(1);
    expect(await held()).toHaveLength(3);
  });

  it('goes on by requests after two uploads without an answer, and by files after a single one', async () => {
    withFormat({ maxRows: 1 });
    stages.store.put(...long(100, 3, 100));
    const noAnswer = new CodedError('transient', 'no answer', { outcomeUnknown: true });
    overUpload(async (...args) => {
      if (uploads.length % 3 === 2) return catalog.client.uploadCsv(...args);
      throw noAnswer;
    });
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { created: 6, failed: 0 } });
    expect(run.notes).toEqual([expect.stringContaining('two files, one after the other, got no answer')]);
    expect(uploads).toHaveLength(4);
    expect(await heldOnce()).toBe(6);
  });

  it('is continued by another worker after a crash, which uploads no file twice', async () => {
    overUpload(async (...args) => {
      const answer = await catalog.client.uploadCsv(...args);
      // The worker dies after the answer, before it stores it.
      await stages.db.affected(
        `UPDATE sync_run SET lease = 'nobody', lease_until = now() - interval '1 second'`,
      );
      return answer;
    });
    const { id } = await stages.requests.request({
      store: STORE,
      full: true,
      force: false,
      trigger: 'command',
    });
    await stages.work(id);
    expect((await stages.runs.get(id))?.csvUpload).toMatchObject({ state: 'sending', taskId: null });
    expect(await stages.work(id)).toMatchObject({ state: 'succeeded', counts: { created: 3 } });
    expect(uploads).toHaveLength(1);
    expect(await held()).toHaveLength(3);
  });

  it('falls back to requests where the service refuses the file, and says why', async () => {
    overUpload(() =>
      Promise.reject(new CodedError('not_found', 'the catalog answered 404', { status: 404 })),
    );
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { created: 3 } });
    expect(run.notes).toEqual([expect.stringContaining('requests were used: the catalog answered 404')]);
    expect(await upserts(run)).toBe(3);
  });

  it.each(['multipart', 'raw'])(
    'falls back to requests where the file is larger than the service takes (%s), and loses and doubles nothing',
    async (encoding) => {
      withFormat({ encoding });
      stages.store.put(...long(100, 40, 5_000));
      const run = await stages.sync();
      expect(run).toMatchObject({ state: 'succeeded', counts: { created: 43, failed: 0 } });
      expect(run.notes).toEqual([
        expect.stringMatching(/requests were used: .* 413.* lower assumptions\.uploadCsv\.maxBytes/),
      ]);
      expect(uploads).toHaveLength(1);
      expect(await heldOnce()).toBe(43);
    },
  );

  it('keeps what earlier files brought where a later file is refused, and sends the rest by requests', async () => {
    withFormat({ maxRows: 3 });
    stages.store.put(...long(100, 4, 40_000));
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { created: 7, failed: 0 } });
    expect(run.notes).toEqual([expect.stringContaining('requests were used')]);
    expect(uploads).toHaveLength(2);
    expect(await heldOnce()).toBe(7);
    expect(await stages.sync()).toMatchObject({ counts: { seen: 7, unchanged: 7 }, notes: [] });
  });

  it('makes fewer requests than products, not counting variants', async () => {
    stages.store.put(...Array.from({ length: 60 }, (_each, index) => snapshot(100 + index)));
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { created: 63 } });
    expect(await requestsOf(run)).toBeLessThan(30);
  });
});
