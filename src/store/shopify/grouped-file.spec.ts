import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ExportedProduct } from './exported-product.js';
import { groupedProducts, NotGroupedError } from './grouped-file.js';
import { GrowingFile } from './growing-file.js';
import type { ExportCensus } from './jsonl.js';

const SCOPE = { shop: 'demo.myshopify.com', variantMetafields: [], locales: [] };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grouped-file-'));
});
afterAll(async () => rm(folder, { recursive: true }));

/** The lines of product `id`: the product and so many variants. */
function linesOf(id: number, variants: number): string[] {
  const gid = `gid://shopify/Product/${String(id)}`;
  const core = JSON.stringify({ __typename: 'Product', id: gid, title: 'ü'.repeat(id) });
  return [core, ...Array.from({ length: variants }, (_, index) => variantOf(gid, id * 10 + index))];
}

function variantOf(parent: string, id: number): string {
  const gid = `gid://shopify/ProductVariant/${String(id)}`;
  return JSON.stringify({ __typename: 'ProductVariant', id: gid, __parentId: parent });
}

let files = 0;

/** A file that gets `text` in parts of so many bytes, while it is read. */
async function growing(text: string, partBytes: number): Promise<GrowingFile> {
  const file = await GrowingFile.create(join(folder, String((files += 1))));
  const write = async (): Promise<void> => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += partBytes) {
      await file.append(bytes.subarray(at, at + partBytes));
      await file.flush();
    }
    file.complete();
  };
  write().catch((error: unknown) => {
    file.fail(error);
  });
  return file;
}

interface Found {
  /** The external id and digest of each product. */
  readonly products: readonly string[];
  readonly census: ExportCensus | null;
}

/** Reads with buffers of the given size. Each product is checked after three more batches. */
async function readAll(text: string, readBytes: number, partBytes: number): Promise<Found> {
  const file = await growing(text, partBytes);
  const waiting: (readonly ExportedProduct[])[] = [];
  const products: string[] = [];
  let census: ExportCensus | null = null;
  const lookAt = (batch: readonly ExportedProduct[] = []): void => {
    products.push(...batch.map((product) => `${product.externalId} ${product.digest}`));
  };
  const prove = (counted: ExportCensus): void => {
    census = counted;
  };
  try {
    for await (const batch of groupedProducts(file, SCOPE, prove, readBytes)) {
      waiting.push(batch);
      if (waiting.length > 3) lookAt(waiting.shift());
    }
  } finally {
    await file.completed();
    await file.close();
  }
  for (const batch of waiting) lookAt(batch);
  return { products, census };
}

async function read(text: string, readBytes: number): Promise<readonly string[]> {
  return (await readAll(text, readBytes, 1_000)).products;
}

const PRODUCTS = [linesOf(1, 2), linesOf(2, 0), linesOf(30, 5), linesOf(4, 1)];
const EXPECTED = PRODUCTS.map((lines) => {
  const id = (JSON.parse(lines[0] ?? '{}') as { id: string }).id;
  const { externalId, digest } = new ExportedProduct(id, Buffer.from(lines.join('\n')), [1], SCOPE);
  return `${externalId} ${digest}`;
});

describe('a grouped export', () => {
  it('is read the same whatever fits into a buffer, and with or without its last line end', async () => {
    const text = PRODUCTS.flat().join('\n');
    for (const size of [1, 7, 64, 100, 333, 1_000, 100_000]) {
      expect(await read(text, size)).toEqual(EXPECTED);
      expect(await read(`${text}\n`, size)).toEqual(EXPECTED);
    }
  });

  it('is read and counted the same however its bytes arrive', async () => {
    const text = PRODUCTS.flat().join('\n');
    const expected = {
      products: EXPECTED,
      census: { lines: PRODUCTS.flat().length, roots: PRODUCTS.length },
    };
    const sizes = fc.integer({ min: 1, max: 400 });
    await fc.assert(
      fc.asyncProperty(sizes, sizes, fc.boolean(), async (readBytes, partBytes, ended) => {
        expect(await readAll(ended ? `${text}\n` : text, readBytes, partBytes)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('comes in small batches at first, each with more than the one before until a buffer is full', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => linesOf(1_000 + index, 0)).flat();
    const file = await growing(lines.join('\n'), 100_000);
    const sizes: number[] = [];
    const readBytes = (lines[0]?.length ?? 0) * 64;
    for await (const batch of groupedProducts(file, SCOPE, () => undefined, readBytes))
      sizes.push(batch.length);
    await file.close();
    const [first = 0, second = 0, third = 0] = sizes;
    expect(first).toBeLessThan(10);
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(200);
  });

  it('keeps each product until the fourth batch after its own', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => root(1_000 + index));
    const expected = lines.map(
      (text) => new ExportedProduct('', Buffer.from(text.trim()), [1], SCOPE).digest,
    );
    const { products } = await readAll(lines.join(''), (lines[0]?.length ?? 0) * 8, 100_000);
    expect(products.map((product) => product.split(' ')[1])).toEqual(expected);
  });

  it('is counted before its last products are returned', async () => {
    const file = await growing(PRODUCTS.flat().join('\n'), 1_000);
    let returned = 0;
    const prove = (): void => {
      throw new Error(`counted after ${String(returned)}`);
    };
    const reading = async (): Promise<void> => {
      for await (const batch of groupedProducts(file, SCOPE, prove, 64)) returned += batch.length;
    };
    await expect(reading()).rejects.toThrow(/^counted after [0-3]$/);
    await file.close();
  });

  it('without a product has none', async () => {
    expect(await read('', 64)).toEqual([]);
  });

  it.each([
    ['a child of another product', [...linesOf(1, 1), variantOf('gid://shopify/Product/9', 91)], 3],
    ['a child before any product', [variantOf('gid://shopify/Product/9', 91), ...linesOf(1, 1)], 1],
  ])('that holds %s says which line', async (_what, lines, line) => {
    for (const size of [16, 100_000]) {
      await expect(read(lines.join('\n'), size)).rejects.toMatchObject({
        code: 'transient',
        message: expect.stringContaining(`line ${String(line)} of the export`),
      });
    }
  });
});

const line = (node: object): string => `${JSON.stringify(node).replaceAll('/', String.raw`\/`)}\n`;
const root = (id: number, extra: object = {}): string =>
  line({ __typename: 'Product', id: `gid://shopify/Product/${String(id)}`, ...extra });
const child = (parent: number, extra: object = {}): string =>
  line({
    __typename: 'Metafield',
    id: 'gid://shopify/Metafield/1',
    ...extra,
    __parentId: `gid://shopify/Product/${String(parent)}`,
  });

/** The census of a grouped export; null for one that is not. */
async function census(text: string, readBytes = 100_000): Promise<ExportCensus | null> {
  try {
    return (await readAll(text, readBytes, 100_000)).census;
  } catch (error) {
    if (error instanceof NotGroupedError) return null;
    throw error;
  }
}

describe('the census of a grouped export', () => {
  it('counts lines and products', async () => {
    const text = root(1) + child(1) + child(1) + root(2);
    expect(await census(text)).toEqual({ lines: 4, roots: 2 });
    expect(await census('')).toEqual({ lines: 0, roots: 0 });
  });

  const variant = (parent: number, id: number): string =>
    child(parent, { __typename: 'ProductVariant', id: `gid://shopify/ProductVariant/${String(id)}` });
  const medium = (of: number): string =>
    line({
      __typename: 'MediaImage',
      id: 'gid://shopify/MediaImage/5',
      __parentId: `gid://shopify/ProductVariant/${String(of)}`,
    });

  it.each([
    ['right behind the variant', root(1) + variant(1, 11) + medium(11) + variant(1, 12) + root(2)],
    ['behind all children of the product', root(1) + variant(1, 11) + variant(1, 12) + child(1) + medium(11)],
  ])('takes the children of a variant for those of its product %s', async (_place, text) => {
    expect(await census(text)).not.toBeNull();
    expect(await census(text, 7)).not.toBeNull();
  });

  it.each([
    ['a child of another product’s variant', root(1) + variant(1, 11) + root(2) + medium(11)],
    ['a child before its variant', root(1) + medium(11) + variant(1, 11)],
    ['a child behind another product', root(1) + root(2) + child(1)],
    ['a child before its product', child(1) + root(1)],
    ['a child whose parent cannot be read', root(1) + line({ id: 'x', __parentId: null }) + root(2)],
    [
      'a child whose parent has a quote in its id',
      root(1) + line({ __typename: 'Metafield', id: 'x', __parentId: 'a"b' }) + root(2),
    ],
  ])('takes %s for not grouped', async (_name, text) => {
    for (const size of [7, 100_000]) expect(await census(text, size)).toBeNull();
  });

  it('sees a key in the bytes only where there is one', async () => {
    const sly = { value: '"__parentId":"gid://shopify/Product/9"', other: '__parentId', key: '"id":"x"' };
    expect(await census(root(1, sly) + child(1, sly))).toEqual({ lines: 2, roots: 1 });
  });

  it('allows white space around the colon, and an id spelt in another way', async () => {
    const spaced =
      '{"__typename":"A","id" : "gid://shopify/Product/1"}\n{"id": "v", "__typename":"B", "__parentId" : "gid://shopify/Product/1"}\n';
    expect(await census(spaced)).toEqual({ lines: 2, roots: 1 });
    // Another spelling is only slower.
    const respelt = '{"__typename":"B","id":"v","__parentId":"gid://shopify/Product/1"}\n';
    expect(await census(root(1) + respelt)).toBeNull();
  });

  it('is not given when the last line is cut off', async () => {
    const cut = (root(1) + root(2)).slice(0, -10);
    for (const size of [7, 100_000])
      await expect(census(cut, size)).rejects.toMatchObject({ code: 'transient' });
  });

  it('is not given for a line of 64 MB, which is held no further', async () => {
    const endless = 'x'.repeat(65 * 1024 * 1024);
    await expect(readAll(endless, 1024 * 1024, 1024 * 1024)).rejects.toMatchObject({
      code: 'transient',
      message: expect.stringContaining('64 MB'),
    });
  });
});
