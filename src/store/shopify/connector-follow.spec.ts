import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CompletedExport, ReadAgainError, type StoreConnector } from '../../domain/store-port.js';
import { childOf, exportText, productNode, variantNode } from '../../../test/support/store/products.js';
import {
  type Call,
  collect,
  connect,
  failureOf,
  type Reply,
  ScriptedStore,
} from '../../../test/support/store/scripted-store.js';

let store: ScriptedStore;
let spillDir: string;
beforeEach(async () => {
  store = await ScriptedStore.start();
  spillDir = await mkdtemp(join(tmpdir(), 'follow-spec-'));
});
afterEach(async () => {
  await store.stop();
  expect(await readdir(spillDir)).toEqual([]);
  await rm(spillDir, { recursive: true });
});

/** More than the first read takes, so that products come before the end. */
const PRODUCTS = 600;
const HALF = 300_000;
const NODES = Array.from({ length: PRODUCTS }, (_, index) => [
  productNode(index + 1, { descriptionHtml: 'x'.repeat(1_000) }),
  childOf(index + 1, variantNode(10_000 + index)),
]).flat();
const TEXT = exportText(NODES);
const IDS = NODES.filter((node) => !('__parentId' in node)).map(({ id }) => id);
/** The second product's variant comes last. */
const LATE_CHILD = exportText([...NODES.slice(0, 3), ...NODES.slice(4), NODES[3] ?? {}]);

function completed(overrides: Partial<CompletedExport> = {}): CompletedExport {
  const url = `${store.url}/files/export.jsonl`;
  return {
    handle: 'gid://shopify/BulkOperation/7',
    url,
    objects: NODES.length,
    rootObjects: PRODUCTS,
    ...overrides,
  };
}

interface Reading {
  readonly connector: StoreConnector;
  readonly ids: readonly string[];
  readonly reading: Promise<unknown>;
}

/** Reads the export. When its first products were returned, the rest of the file is sent, or the connection is cut. */
function read(then: 'send' | 'cut', later: (call: Call) => Reply, headers = {}): Reading {
  const first = Promise.withResolvers<'send' | 'cut'>();
  store.answerWith((call) =>
    call.earlier === 0 ? { text: TEXT, headers, stallAfterBytes: HALF, rest: first.promise } : later(call),
  );
  const { connector } = connect(store.url, { spillDir });
  const ids: string[] = [];
  const reading = (async (): Promise<void> => {
    for await (const batch of connector.readExport(completed())) {
      ids.push(...batch.map(({ storeId }) => storeId));
      first.resolve(then);
    }
  })();
  return { connector, ids, reading };
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const gone = (): Reply => ({ status: 503, text: '' });

describe('an export that is read while it is downloaded', () => {
  it('gives its first products before its last ones are there, and all of them in the end', async () => {
    const { ids, reading } = read('send', gone);
    await reading;
    expect(ids).toEqual(IDS);
  });

  it('is downloaded to its end while no more products are requested', async () => {
    const sent = Promise.withResolvers<boolean>();
    store.answerWith(() => ({ text: TEXT, closed: sent.resolve }));
    const { connector } = connect(store.url, { spillDir });
    const reading = connector.readExport(completed())[Symbol.asyncIterator]();
    await reading.next();
    await expect(sent.promise).resolves.toBe(true);
    await reading.return?.();
  });

  it('needs little room on disk, whatever its size', async () => {
    const nodes = Array.from({ length: 400 }, (_, index) =>
      productNode(index + 1, { descriptionHtml: 'x'.repeat(100_000) }),
    );
    store.answerWith(() => ({ text: exportText(nodes) }));
    const { connector } = connect(store.url, { spillDir });
    let last = 0;
    const counts = { objects: nodes.length, rootObjects: nodes.length };
    for await (const batch of connector.readExport(completed(counts))) {
      expect(batch.length).toBeGreaterThan(0);
      last = await bytesIn(spillDir);
    }
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThan(20_000_000);
  });

  it('is not downloaded further when the reader stops', async () => {
    const closed = Promise.withResolvers<boolean>();
    store.answerWith(() => ({ text: TEXT, stallAfterBytes: HALF, closed: closed.resolve }));
    for await (const batch of connect(store.url, { spillDir }).connector.readExport(completed())) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
    expect(await readdir(spillDir)).toEqual([]);
    await expect(closed.promise).resolves.toBe(false);
  });

  it('goes on where it was cut off, also after products were returned', async () => {
    const etag = { etag: '"v1"' };
    const rest = ({ headers }: Call): Reply => {
      const from = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? '';
      const range = `bytes ${from}-${String(TEXT.length - 1)}/${String(TEXT.length)}`;
      return { status: 206, text: TEXT.slice(Number(from)), headers: { ...etag, 'content-range': range } };
    };
    const { ids, reading } = read('cut', rest, etag);
    await reading;
    expect(ids).toEqual(IDS);
    expect(store.calls[1]?.headers).toMatchObject({ 'if-range': '"v1"' });
  });

  it('ends as transient when the download fails after products were returned', async () => {
    const { ids, reading } = read('cut', gone, { etag: '"v1"' });
    const error = await failureOf(reading);
    expect(error).toMatchObject({ code: 'transient', message: expect.stringContaining('to its end') });
    expect(error).not.toBeInstanceOf(ReadAgainError);
    expect(ids.length).toBeGreaterThan(0);
  });

  it.each([
    ['is cut off within a line', TEXT.slice(0, -40), {}, /line 1200 .* not JSON/],
    ['is cut off between lines', exportText(NODES.slice(0, 1_000)), {}, /incomplete/],
    ['has too many lines', TEXT, { objects: 1_199 }, /incomplete/],
    ['has another number of products', TEXT, { rootObjects: 601 }, /incomplete/],
  ])('never comes to its end when it %s', async (_what, text, counts, message) => {
    store.answerWith(() => ({ text }));
    const { connector } = connect(store.url, { spillDir });
    const error = await failureOf(collect(connector.readExport(completed(counts))));
    expect(error).toMatchObject({ code: 'transient', message: expect.stringMatching(message) });
    expect(error).not.toBeInstanceOf(ReadAgainError);
  });
});

describe('an export of which products were returned', () => {
  it('has to be read again when the download begins again with another file', async () => {
    const other = { text: TEXT.replaceAll('xx', 'yy'), headers: { etag: '"v2"' } };
    const { connector, reading } = read('cut', () => other, { etag: '"v1"' });
    expect(await failureOf(reading)).toBeInstanceOf(ReadAgainError);
    const products = await collect(connector.readExport(completed(), { whole: true }));
    expect(products).toHaveLength(PRODUCTS);
    for (const product of products) expect(product.snapshot().descriptionHtml).toBe('y'.repeat(1_000));
  });

  it('has to be read again when a child of one of them follows', async () => {
    store.answerWith(() => ({ text: LATE_CHILD }));
    const { connector } = connect(store.url, { spillDir });
    expect(await failureOf(collect(connector.readExport(completed())))).toBeInstanceOf(ReadAgainError);
    const products = await collect(connector.readExport(completed(), { whole: true }));
    expect(products).toHaveLength(PRODUCTS);
    for (const product of products) expect(product.snapshot().variants).toHaveLength(1);
  });
});

describe('an export of which no product was returned yet', () => {
  it('is read from the complete file, and downloaded once, when children prove to be elsewhere', async () => {
    const [first = {}, variant = {}, second = {}, ...others] = NODES;
    store.answerWith(() => ({ text: exportText([first, second, variant, ...others]) }));
    const { connector } = connect(store.url, { spillDir });
    await expect(collect(connector.readExport(completed()))).resolves.toHaveLength(PRODUCTS);
    expect(store.calls).toHaveLength(1);
  });

  it('is complete before its first product where the last one of the store had children elsewhere', async () => {
    const { connector } = connect(store.url, { spillDir });
    store.answerWith(() => ({ text: LATE_CHILD }));
    await failureOf(collect(connector.readExport(completed())));
    await expect(collect(connector.readExport(completed()))).resolves.toHaveLength(PRODUCTS);
    // Once an export has them together, the next one is read at once again.
    store.answerWith(() => ({ text: TEXT }));
    await collect(connector.readExport(completed()));
    const first = Promise.withResolvers<'send'>();
    store.answerWith(() => ({ text: TEXT, stallAfterBytes: HALF, rest: first.promise }));
    for await (const batch of connector.readExport(completed())) if (batch.length > 0) first.resolve('send');
  });
});
