import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { demoCatalogCsv } from '../demo-catalog/demo-catalog.js';
import type { BulkMode, RunningStoreSandbox } from './index.js';
import {
  TestClock,
  call,
  csv,
  productsCsv,
  sandbox,
  stopSandboxes,
} from '../../../test/support/sandbox/store-caller.js';
import type { UserError } from '../../../test/support/sandbox/store-caller.js';

const RUN = `mutation R($query: String!, $group: Boolean! = false) { bulkOperationRunQuery(query: $query, groupObjects: $group) {
  bulkOperation { id status } userErrors { field message code } } }`;
const POLL = `query P($id: ID!) { bulkOperation(id: $id) {
  id status errorCode objectCount rootObjectCount fileSize url partialDataUrl completedAt } }`;
const CANCEL = `mutation C($id: ID!) { bulkOperationCancel(id: $id) { bulkOperation { id status } userErrors { field message } } }`;
const PRODUCTS =
  '{ products { edges { node { __typename id title variants { edges { node { __typename id sku } } } } } } }';

interface Operation {
  readonly id: string;
  readonly status: string;
  readonly objectCount: string;
  readonly rootObjectCount: string;
  readonly fileSize: string | null;
  readonly url: string | null;
  readonly partialDataUrl: string | null;
  readonly completedAt: string | null;
}

interface Started {
  readonly bulkOperationRunQuery: {
    readonly bulkOperation: Operation;
    readonly userErrors: readonly UserError[];
  };
}

interface Cancelled {
  readonly bulkOperationCancel: {
    readonly bulkOperation: Operation;
    readonly userErrors: readonly UserError[];
  };
}

interface Line {
  id: string;
  __typename?: string;
  __parentId?: string;
  title?: string;
}

async function start(store: RunningStoreSandbox, query = PRODUCTS, group = false): Promise<string> {
  const { body } = await call<Started>(store, RUN, { query, group });
  expect(body.data.bulkOperationRunQuery.userErrors).toEqual([]);
  await store.idle();
  return body.data.bulkOperationRunQuery.bulkOperation.id;
}

async function poll(store: RunningStoreSandbox, id: string): Promise<Operation> {
  return (await call<{ bulkOperation: Operation }>(store, POLL, { id })).body.data.bulkOperation;
}

async function textAt(url: string | null): Promise<string> {
  if (url === null) throw new Error('the export offers no file');
  return (await fetch(url)).text();
}

function lines(text: string): Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

async function exported(store: RunningStoreSandbox, query = PRODUCTS, group = false): Promise<Line[]> {
  const operation = await poll(store, await start(store, query, group));
  return lines(await textAt(operation.url));
}

/** Products with three variants each. */
function variantsCsv(count: number): string {
  const rows = Array.from({ length: count }, (_, index) =>
    ['S', 'M', 'L'].map((size, place) => ({
      Handle: `p-${index}`,
      Title: place === 0 ? `P ${index}` : '',
      'Option1 Name': place === 0 ? 'Size' : '',
      'Option1 Value': size,
    })),
  );
  return csv(...rows.flat());
}

afterEach(stopSandboxes);

describe('an export', () => {
  it('holds every node of its query, children behind their parents, with counts and size that agree', async () => {
    const store = await sandbox();
    const products = store.loadCsv(demoCatalogCsv());
    const file = readFileSync(
      new URL('../../../test/fixtures/shopify/shopify-queries.graphql', import.meta.url),
      'utf8',
    );
    const query = /^# BULK_PRODUCTS\n([\s\S]*?)^# BULK_RUN$/m.exec(file)?.[1] ?? '';
    const operation = await poll(store, await start(store, query));
    const text = await textAt(operation.url);
    const rows = lines(text);
    const roots = rows.filter((row) => row.__parentId === undefined);
    const count = (type: string): number => rows.filter((row) => row.__typename === type).length;

    expect(operation).toMatchObject({ status: 'COMPLETED', errorCode: null, partialDataUrl: null });
    expect(roots.map((row) => row.title)).toEqual(products.map((product) => product.title));
    expect(count('ProductVariant')).toBe(products.flatMap((product) => product.variants).length);
    expect(count('MediaImage')).toBe(products.flatMap((product) => product.media).length);
    expect(count('Metafield')).toBe(products.flatMap((product) => product.metafields).length);
    expect(count('Collection')).toBe(products.flatMap((product) => product.collections).length);
    expect(operation.objectCount).toBe(String(rows.length));
    expect(operation.rootObjectCount).toBe(String(products.length));
    expect(operation.fileSize).toBe(String(Buffer.byteLength(text)));
  });

  it('escapes slashes, so that only a parser finds an id', async () => {
    const store = await sandbox();
    store.loadCsv(productsCsv(1));
    const operation = await poll(store, await start(store));
    const text = await textAt(operation.url);
    expect(text).toContain(String.raw`gid:\/\/shopify\/Product\/8000000000001`);
    expect(text).not.toContain('gid://');
  });

  it('is narrowed by the search in its query', async () => {
    const store = await sandbox();
    store.loadCsv(productsCsv(3));
    const rows = await exported(store, '{ products(query: "sku:SKU-2") { edges { node { id title } } } }');
    expect(rows.map((row) => row.title)).toEqual(['Product 2']);
  });

  it('reads aliases, fragments and connections inside objects', async () => {
    const store = await sandbox();
    store.loadCsv(variantsCsv(1));
    const query = `query Q { all: products { edges { node { ...P } } } }
      fragment P on Product { id kinds: variants { edges { node { id name: title } } } }`;
    const rows = await exported(store, query);
    expect(rows).toEqual([
      { id: expect.any(String) },
      ...['S', 'M', 'L'].map((name) => ({ id: expect.any(String), name, __parentId: rows[0]?.id })),
    ]);
  });

  it('keeps children next to their parent when it groups, and among others when it does not', async () => {
    const store = await sandbox({ bulk: { grouped: false } });
    store.loadCsv(variantsCsv(250));
    const adjacent = (rows: Line[]): boolean =>
      rows.every(
        (row, index) =>
          row.__parentId === undefined ||
          [rows[index - 1]?.id, rows[index - 1]?.__parentId].includes(row.__parentId),
      );
    const afterParents = (rows: Line[]): boolean => {
      const seen = new Set<string>();
      return rows.every((row) => {
        seen.add(row.id);
        return row.__parentId === undefined || seen.has(row.__parentId);
      });
    };
    const scattered = await exported(store);
    const grouped = await exported(store, PRODUCTS, true);
    expect([scattered.length, grouped.length]).toEqual([1000, 1000]);
    expect([adjacent(grouped), afterParents(grouped)]).toEqual([true, true]);
    expect([adjacent(scattered), afterParents(scattered)]).toEqual([false, true]);
    expect(new Set(scattered.map((row) => row.id)).size).toBe(1000);
  });

  it('holds the root items of the moment it began', async () => {
    const store = await sandbox();
    const products = store.loadCsv(productsCsv(250));
    const { body } = await call<Started>(store, RUN, { query: PRODUCTS });
    for (const product of products) store.products.delete(product.id);
    await store.idle();
    const operation = await poll(store, body.data.bulkOperationRunQuery.bulkOperation.id);
    expect(operation.rootObjectCount).toBe('250');
  });

  it('takes its time, with counters that stand still until it is finished', async () => {
    const clock = new TestClock();
    const store = await sandbox({ clock: clock.now, bulk: { delayMs: 1000 } });
    store.loadCsv(productsCsv(2));
    const id = await start(store);
    const seen = [];
    for (const wait of [0, 500, 500]) {
      clock.advance(wait);
      const { status, objectCount, url, completedAt } = await poll(store, id);
      seen.push([status, objectCount, url !== null, completedAt]);
    }
    expect(seen).toEqual([
      ['CREATED', '0', false, null],
      ['RUNNING', '0', false, null],
      ['COMPLETED', '4', true, '2026-11-19T12:00:01Z'],
    ]);
  });

  it('without results has no file', async () => {
    const store = await sandbox();
    expect(await poll(store, await start(store))).toMatchObject({
      status: 'COMPLETED',
      url: null,
      objectCount: '0',
      fileSize: null,
    });
  });
});

describe('refusals', () => {
  it.each([
    [
      '{ products { nodes { id } } }',
      /must select their contents using 'edges' > 'node'.*Invalid connection fields: 'products'\.$/,
    ],
    ['{ shop { id } }', /^Bulk queries must contain at least one connection\.$/],
    [
      '{ products { edges { node { title variants { edges { node { id } } } } } } }',
      /Connection fields without 'id': products\.$/,
    ],
    [
      '{ products { edges { node { key: id variants { edges { node { id } } } } } } }',
      /Connection fields without 'id': products\.$/,
    ],
    [
      '{ products { edges { node { id variants { edges { node { id media { edges { node { id } } } product { id metafields { edges { node { id } } } collections { edges { node { id } } } media { edges { node { id } } } } } } } } } } }',
      /^Bulk queries cannot contain more than 5 connections\.$/,
    ],
    [
      'mutation { tagsAdd(id: "gid://shopify/Product/1", tags: ["a"]) { node { id } } }',
      /^Invalid operation type\. Only `query` operations are supported\.$/,
    ],
    ['{ products { edges { node { colour } } } }', /^Invalid bulk query: .*colour/],
    ['{ products {', /^Invalid bulk query: Syntax Error/],
    [`{ products { edges { node { id } } } } # ${'x'.repeat(65_536)}`, /at most 65535 bytes/],
  ])('name the rule for %s', async (query, message) => {
    const { body } = await call<Started>(await sandbox(), RUN, { query });
    const { bulkOperation, userErrors } = body.data.bulkOperationRunQuery;
    expect(bulkOperation).toBeNull();
    expect(userErrors).toEqual([
      { field: ['query'], message: expect.stringMatching(message), code: 'INVALID' },
    ]);
  });

  it('are all in one response', async () => {
    const { body } = await call<Started>(await sandbox(), RUN, {
      query: '{ node(id: "gid://shopify/Product/1") { id } }',
    });
    expect(body.data.bulkOperationRunQuery.userErrors.map((error) => error.message)).toEqual([
      'Bulk queries cannot contain a top level `node` field.',
      'Bulk queries must contain at least one connection.',
    ]);
  });

  it('of a sixth export while five are running', async () => {
    const store = await sandbox({ bulk: { delayMs: 60_000 } });
    for (let count = 0; count < 5; count += 1) await start(store);
    const { body } = await call<Started>(store, RUN, { query: PRODUCTS });
    expect(body.data.bulkOperationRunQuery).toEqual({
      bulkOperation: null,
      userErrors: [
        {
          field: null,
          message: expect.stringContaining('gid://shopify/BulkOperation/7600000000005'),
          code: 'OPERATION_IN_PROGRESS',
        },
      ],
    });
  });

  it.each([{ enabled: false }, { mode: 'access_denied' as const }])(
    'of an app with %j: ACCESS_DENIED at the top',
    async (bulk) => {
      const { body } = await call<Started>(await sandbox({ bulk }), RUN, { query: PRODUCTS });
      expect(body.data).toEqual({ bulkOperationRunQuery: null });
      expect(body.errors?.[0]?.extensions.code).toBe('ACCESS_DENIED');
    },
  );
});

describe('an export that goes wrong', () => {
  async function run(mode: BulkMode): Promise<Operation> {
    const store = await sandbox();
    store.loadCsv(productsCsv(30));
    store.setBulkMode(mode);
    return poll(store, await start(store));
  }

  it('failed: FAILED with an error code and a part of the file', async () => {
    const operation = await run('failed');
    expect(operation).toMatchObject({ status: 'FAILED', errorCode: 'INTERNAL_SERVER_ERROR', url: null });
    expect(lines(await textAt(operation.partialDataUrl)).length).toBeLessThan(60);
  });

  it('cancelled_with_url: CANCELED, and yet with a url, whose file is whole lines but not all', async () => {
    const operation = await run('cancelled_with_url');
    expect(operation).toMatchObject({
      status: 'CANCELED',
      objectCount: '60',
      completedAt: null,
      fileSize: null,
      partialDataUrl: null,
    });
    expect(lines(await textAt(operation.url)).length).toBeLessThan(60);
  });

  it('truncated: COMPLETED, and the file ends within a line', async () => {
    const operation = await run('truncated');
    const text = await textAt(operation.url);
    expect(operation).toMatchObject({ status: 'COMPLETED', objectCount: '60' });
    expect(Buffer.byteLength(text)).toBeLessThan(Number(operation.fileSize));
    expect(() => lines(text)).toThrow(SyntaxError);
  });

  it('interleaved: complete, children among other parents', async () => {
    const operation = await run('interleaved');
    const rows = lines(await textAt(operation.url));
    expect([operation.objectCount, rows.length]).toEqual(['60', 60]);
    expect(rows[1]?.__parentId).toBeUndefined();
  });

  it('empty: COMPLETED without a file', async () => {
    expect(await run('empty')).toMatchObject({
      status: 'COMPLETED',
      url: null,
      objectCount: '0',
      rootObjectCount: '0',
    });
  });

  it('url_expired: the file is refused', async () => {
    const operation = await run('url_expired');
    const response = await fetch(operation.url ?? '');
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('ExpiredToken');
  });

  it('wrong_counts: more are promised than the file holds', async () => {
    const operation = await run('wrong_counts');
    expect(lines(await textAt(operation.url))).toHaveLength(60);
    expect(operation).toMatchObject({ status: 'COMPLETED', objectCount: '63', rootObjectCount: '31' });
  });
});

describe('the list of exports', () => {
  it('gives the latest first when reversed, with their queries', async () => {
    const store = await sandbox({ bulk: { delayMs: 60_000 } });
    const ids = [await start(store), await start(store)];
    const query =
      '{ bulkOperations(first: 9, reverse: true) { nodes { id query type } } currentBulkOperation { id } }';
    const { body } = await call(store, query);
    expect(body.data).toEqual({
      bulkOperations: { nodes: ids.toReversed().map((id) => ({ id, query: PRODUCTS, type: 'QUERY' })) },
      currentBulkOperation: { id: ids[1] },
    });
  });
});

describe('cancelling', () => {
  it('a running export passes by CANCELING, twice without error, and leaves no file', async () => {
    const clock = new TestClock();
    const store = await sandbox({ clock: clock.now, bulk: { delayMs: 1000 } });
    store.loadCsv(productsCsv(1));
    const id = await start(store);
    for (let count = 0; count < 2; count += 1) {
      const { body } = await call<Cancelled>(store, CANCEL, { id });
      expect(body.data.bulkOperationCancel).toEqual({
        bulkOperation: { id, status: 'CANCELING' },
        userErrors: [],
      });
    }
    clock.advance(1000);
    expect(await poll(store, id)).toMatchObject({ status: 'CANCELED', url: null });
  });

  it('a finished or unknown one is a user error', async () => {
    const store = await sandbox();
    const id = await start(store);
    const finished = await call<Cancelled>(store, CANCEL, { id });
    expect(finished.body.data.bulkOperationCancel.userErrors).toEqual([
      { field: null, message: 'A bulk operation cannot be canceled when it is completed' },
    ]);
    const unknown = await call<Cancelled>(store, CANCEL, { id: 'gid://shopify/BulkOperation/0' });
    expect(unknown.body.data.bulkOperationCancel).toEqual({
      bulkOperation: null,
      userErrors: [{ field: ['id'], message: 'Bulk operation does not exist' }],
    });
  });
});
