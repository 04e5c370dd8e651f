import { mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { CompletedExport, ExportState } from './api-types.js';
import { bulkProductsText } from './documents.js';
import { productSearch } from './search.js';
import {
  childOf,
  exportText,
  imageNode,
  metafieldNode,
  page,
  productNode,
  variantNode,
} from '../../../test/support/store/products.js';
import {
  CANARY,
  connect,
  data,
  refusal,
  type Reply,
  ScriptedStore,
} from '../../../test/support/store/scripted-store.js';
import { failureOf } from '../../../test/support/failure-of.js';
import {
  EXPORT_FILE,
  EXPORT_HANDLE as HANDLE,
  SpilledExports,
} from '../../../test/support/store/spilled-exports.js';

const store = ScriptedStore.forEachTest();
const spilled = new SpilledExports(store);
const completed = spilled.completed.bind(spilled);
const read = spilled.read.bind(spilled);

const started = (id: string | null, code?: string): Reply =>
  data({
    bulkOperationRunQuery: {
      bulkOperation: id === null ? null : { id, status: 'CREATED' },
      userErrors: code === undefined ? [] : [{ field: null, message: 'no', code }],
    },
  });

const operation = (overrides: object): Reply =>
  data({
    bulkOperation: {
      id: HANDLE,
      status: 'COMPLETED',
      errorCode: null,
      query: '{ products }',
      objectCount: '4',
      rootObjectCount: '2',
      fileSize: '99',
      url: `${store.url}${EXPORT_FILE}`,
      ...overrides,
    },
  });

const start = (): Promise<string | null> => store.parts().exports.start('');
const poll = (): Promise<ExportState> => store.parts().exports.poll(HANDLE);

describe('starting an export', () => {
  it('asks for every status, with the filter behind it, and answers with the operation’s id', async () => {
    store.answerWith(() => started(HANDLE));
    await expect(store.parts().exports.start('tag:"a b"')).resolves.toBe(HANDLE);
    expect(store.calls[0]?.variables['query']).toContain(
      String.raw`products(query: "status:active,draft,archived,unlisted tag:\"a b\"")`,
    );
  });

  it.each([
    ['bulk operations are not enabled for the app', (): Reply => refusal('ACCESS_DENIED')],
    ['this address may not run them', (): Reply => ({ status: 403, text: '' })],
    ['the store refuses the query', (): Reply => started(null, 'INVALID')],
  ])('answers null when %s, so that pages serve', async (_reason, reply) => {
    store.answerWith(reply);
    await expect(start()).resolves.toBeNull();
    expect(store.calls).toHaveLength(1);
  });

  it('waits for a slot, and answers null when none becomes free', async () => {
    store.answerWith(({ earlier }) =>
      earlier < 2 ? started(null, 'OPERATION_IN_PROGRESS') : started(HANDLE),
    );
    const patient = connect(store.url);
    await expect(patient.connector.parts.exports.start('')).resolves.toBe(HANDLE);
    expect(patient.slept).toEqual([2_000, 4_000]);
    store.answerWith(() => started(null, 'LIMIT_REACHED'));
    await expect(patient.connector.parts.exports.start('')).resolves.toBeNull();
  });

  it('throws when the token is refused: that is no matter of exports', async () => {
    store.answerWith(() => ({ status: 401, text: '' }));
    expect(await failureOf(start())).toMatchObject({ code: 'auth' });
  });

  it('looks for the operation instead of starting a second one when no answer came', async () => {
    let text: unknown;
    store.answerWith(({ operation: name, variables }) => {
      if (name === 'BulkRun') {
        text = variables['query'];
        return { cutAfterBytes: 0 };
      }
      const running = { status: 'RUNNING', query: text, createdAt: '2026-11-20T12:00:01Z' };
      const nodes = [
        { ...running, id: 'other', query: '{ orders }' },
        { ...running, id: 'of a dry run before', createdAt: '2026-11-20T11:30:00Z' },
        { ...running, id: HANDLE },
        { ...running, id: 'old', status: 'COMPLETED' },
      ];
      return data({ bulkOperations: { nodes } });
    });
    await expect(start()).resolves.toBe(HANDLE);
    expect(store.operations()).toEqual(['BulkRun', 'BulkRecent']);
  });

  it('leaves the outcome open when none is found', async () => {
    store.answerWith(({ operation: name }) =>
      name === 'BulkRun' ? { status: 502, text: '' } : data({ bulkOperations: { nodes: [] } }),
    );
    const error = await failureOf(start());
    expect(error).toMatchObject({ code: 'transient', outcomeUnknown: true });
  });
});

describe('an export that an earlier process began', () => {
  const NEW = 'gid://shopify/BulkOperation/8';

  async function resumed(query: string): Promise<(string | null)[]> {
    store.answerWith(({ operation: name }) => {
      if (name === 'BulkRun') return started(NEW);
      if (name === 'BulkCancel')
        return data({ bulkOperationCancel: { bulkOperation: null, userErrors: [] } });
      if (name === 'ProductsPage') return data({ products: page([]) });
      const empty = { objectCount: '0', rootObjectCount: '0', url: null };
      return operation({ ...empty, query: bulkProductsText(productSearch('tag:old')) });
    });
    const handles: (string | null)[] = [];
    const { connector } = connect(store.url, { query });
    const parts = connector.readWhole(HANDLE, (handle) => Promise.resolve(void handles.push(handle)));
    for await (const part of parts) expect(part).toEqual({ complete: true });
    return handles;
  }

  it('is adopted', async () => {
    await expect(resumed('tag:old')).resolves.toEqual([]);
    expect(store.operations()).not.toContain('BulkRun');
  });

  it('is given up for a new one where it reads something else than the settings say now', async () => {
    await expect(resumed('tag:new')).resolves.toEqual([NEW]);
    expect(store.operations()).toContain('BulkCancel');
  });
});

describe('polling an export', () => {
  it.each([
    ['RUNNING', { status: 'running', objects: 4 }],
    ['CANCELING', { status: 'running', objects: 4 }],
    ['CANCELED', { status: 'failed', reason: 'the bulk operation ended as CANCELED' }],
    ['FAILED', { status: 'failed', reason: 'the bulk operation ended as FAILED' }],
  ])('recognises %s, also when it comes with a file', async (status, expected) => {
    store.answerWith(() => operation({ status }));
    await expect(poll()).resolves.toEqual(expected);
  });

  it('hands on the store’s counts, which are strings', async () => {
    store.answerWith(() => operation({}));
    await expect(poll()).resolves.toEqual({
      status: 'completed',
      handle: HANDLE,
      url: `${store.url}${EXPORT_FILE}`,
      objects: 4,
      rootObjects: 2,
    });
  });

  it('names the error code of a failed operation', async () => {
    store.answerWith(() => operation({ status: 'FAILED', errorCode: 'TIMEOUT', url: null }));
    const state = await poll();
    expect(state).toMatchObject({ status: 'failed', reason: expect.stringContaining('TIMEOUT') });
  });

  it.each([
    ['an unknown id', (): Reply => data({ bulkOperation: null })],
    ['an id of something else', (): Reply => refusal('RESOURCE_NOT_FOUND')],
    ['counted lines without a file', (): Reply => operation({ url: null })],
  ])('treats %s as failed', async (_name, reply) => {
    store.answerWith(reply);
    await expect(poll()).resolves.toMatchObject({ status: 'failed' });
  });
});

it('cancelling an export leaves a finished one alone without error, and fails for one that goes on', async () => {
  const userErrors = [{ field: null, message: 'cannot be cancelled' }];
  let status = 'COMPLETED';
  store.answerWith(({ operation: name }) =>
    name === 'BulkCancel'
      ? data({ bulkOperationCancel: { bulkOperation: null, userErrors } })
      : operation({ status }),
  );
  const connector = store.connector();
  await connector.parts.exports.cancel(HANDLE);
  status = 'RUNNING';
  expect(await failureOf(connector.parts.exports.cancel(HANDLE))).toMatchObject({ code: 'conflict' });
});

const GROUPED = [
  productNode(1),
  childOf(1, variantNode(11)),
  childOf(1, imageNode(12, 'https://cdn.example.com/1.jpg')),
  childOf(1, metafieldNode(13, 'material', 'Cotton')),
  productNode(2, { title: 'Says "__parentId":"gid://shopify/Product/1" in its title' }),
  childOf(2, variantNode(21, { sku: '' })),
];

describe('reading an export', () => {
  it('puts children to their products, and sends no token to the file’s host', async () => {
    store.answerWith(() => ({ text: exportText(GROUPED) }));
    const products = await read(completed(GROUPED));
    expect(products).toMatchObject([
      {
        externalId: 'shopify:demo-store.myshopify.com:1',
        variants: [{ externalId: 'shopify:demo-store.myshopify.com:1:11', sku: 'SKU-11', barcode: null }],
        imageUrls: ['https://cdn.example.com/1.jpg'],
        metafields: [{ namespace: 'custom', key: 'material', value: 'Cotton' }],
      },
      { externalId: 'shopify:demo-store.myshopify.com:2', variants: [{ sku: null }], imageUrls: [] },
    ]);
    expect(JSON.stringify(store.calls)).not.toContain(CANARY);
  });

  it('removes what a killed process left behind, and nobody else’s', async () => {
    const names = ['store-export-of-the-dead', 'store-export-of-another', 'something-else'];
    for (const name of names) await mkdir(join(spilled.directory, name));
    const longAgo = new Date(Date.now() - 2 * 86_400_000);
    for (const name of [names[0], names[2]])
      await utimes(join(spilled.directory, name ?? ''), longAgo, longAgo);
    store.answerWith(() => ({ text: exportText(GROUPED) }));
    await read(completed(GROUPED));
    expect((await readdir(spilled.directory)).sort()).toEqual(['something-else', 'store-export-of-another']);
    for (const name of names.slice(1)) await rm(join(spilled.directory, name), { recursive: true });
  });

  it('yields nothing for an empty export, and calls nobody', async () => {
    await expect(read(completed([], { url: null }))).resolves.toEqual([]);
    expect(store.calls).toEqual([]);
  });

  it('leaves no file behind when the reader stops in the middle', async () => {
    store.answerWith(() => ({ text: exportText(GROUPED) }));
    for await (const batch of spilled.batches(completed(GROUPED), { exportBatchSize: 1 })) {
      expect(batch).toHaveLength(1);
      break;
    }
  });
});

describe('an export that is not what the store said', () => {
  const cutMidLine = exportText(GROUPED).slice(0, -40);
  it.each([
    ['is cut off within a line', cutMidLine, completedCounts(6, 2), /line 6 .* not JSON/],
    ['is cut off between lines', exportText(GROUPED.slice(0, 4)), completedCounts(6, 2), /incomplete/],
    ['has too many lines', exportText(GROUPED), completedCounts(5, 2), /incomplete/],
    ['has another number of products', exportText(GROUPED), completedCounts(6, 3), /incomplete/],
  ])(
    'fails as transient before a single product is yielded when it %s',
    async (_name, text, counts, message) => {
      store.answerWith(() => ({ text }));
      const yielded: unknown[] = [];
      const reading = async (): Promise<void> => {
        for await (const batch of spilled.batches(completed([], counts), { exportBatchSize: 1 }))
          yielded.push(batch);
      };
      const error = await failureOf(reading());
      expect(error).toMatchObject({ code: 'transient', message: expect.stringMatching(message) });
      expect(yielded).toEqual([]);
    },
  );

  it.each([
    ['a child of a product that is not there', [productNode(1), childOf(9, variantNode(91))], /Variant\/91/],
    ['a product of another shape', [productNode(1, { status: 'SOLD' })], /Product\/1 .*status/],
  ])('fails as transient and names the id for %s', async (_name, nodes, message) => {
    store.answerWith(() => ({ text: exportText(nodes) }));
    const error = await failureOf(read(completed(nodes)));
    expect(error).toMatchObject({ code: 'transient', message: expect.stringMatching(message) });
  });

  function completedCounts(objects: number, rootObjects: number): Partial<CompletedExport> {
    return { objects, rootObjects };
  }
});

describe('a download that breaks off', () => {
  it('goes on where it fell silent when the file is known to be the same', async () => {
    const text = exportText(GROUPED);
    const etag = { etag: '"v1"' };
    store.answerWith(({ headers }) => {
      const from = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
      if (from === undefined) return { text, headers: etag, stallAfterBytes: 700 };
      const range = `bytes ${from}-${String(text.length - 1)}/${String(text.length)}`;
      return { status: 206, text: text.slice(Number(from)), headers: { ...etag, 'content-range': range } };
    });
    await expect(read(completed(GROUPED), { requestTimeoutMs: 150 })).resolves.toHaveLength(2);
    expect(store.calls[1]?.headers).toMatchObject({ range: 'bytes=700-', 'if-range': '"v1"' });
  });

  it('begins again when it is not', async () => {
    const text = exportText(GROUPED);
    store.answerWith(({ earlier }) => (earlier === 0 ? { text, cutAfterBytes: 700 } : { text }));
    await expect(read(completed(GROUPED))).resolves.toHaveLength(2);
    expect(store.calls[1]?.headers.range).toBeUndefined();
  });

  it('begins again when it would go on at the wrong place', async () => {
    const text = exportText(GROUPED);
    const headers = { etag: '"v1"', 'content-range': 'bytes 5-9/10' };
    store.answerWith(({ earlier }) =>
      earlier === 0
        ? { text, headers, stallAfterBytes: 700 }
        : earlier === 1
          ? { status: 206, text: 'xxxxx', headers }
          : { text },
    );
    await expect(read(completed(GROUPED), { requestTimeoutMs: 150 })).resolves.toHaveLength(2);
  });

  it('fails as transient after four tries', async () => {
    store.answerWith(() => ({ status: 503, text: '' }));
    expect(await failureOf(read(completed(GROUPED)))).toMatchObject({ code: 'transient' });
    expect(store.calls).toHaveLength(4);
  });

  it('asks once for a new address when the old one has expired', async () => {
    store.answerWith(({ operation: name, path }) => {
      if (name === 'BulkPoll') return operation({ url: `${store.url}/files/new` });
      return path === '/files/new'
        ? { text: exportText(GROUPED) }
        : { status: 403, text: '<Error>expired</Error>' };
    });
    await expect(read(completed(GROUPED))).resolves.toHaveLength(2);
    store.answerWith(({ operation: name }) =>
      name === 'BulkPoll' ? operation({}) : { status: 403, text: '' },
    );
    const error = await failureOf(read(completed(GROUPED)));
    expect(error).toMatchObject({ code: 'transient', message: expect.stringContaining('started again') });
  });

  it.each(['http://storage.example.com/x', 'file:///etc/passwd', 'https://user:pass@storage.example.com/x'])(
    'fails for %s, which is no safe address',
    async (url) => {
      expect(await failureOf(read(completed(GROUPED, { url })))).toMatchObject({ code: 'transient' });
    },
  );

  it('follows no redirect', async () => {
    store.answerWith(({ operation: name }) =>
      name === 'BulkPoll'
        ? data({ bulkOperation: null })
        : { status: 302, text: '', headers: { location: '/elsewhere' } },
    );
    expect(await failureOf(read(completed(GROUPED)))).toMatchObject({ code: 'transient', status: 302 });
  });
});
