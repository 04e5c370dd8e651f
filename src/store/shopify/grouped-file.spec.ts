import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExportedProduct } from './exported-product.js';
import { groupedProducts } from './grouped-file.js';

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

/**
 * The external id and digest of each product, read with buffers of the given size. Each is checked after two more
 * batches.
 */
async function read(text: string, readBytes: number): Promise<string[]> {
  const path = join(folder, 'export.jsonl');
  await writeFile(path, text);
  const waiting: (readonly ExportedProduct[])[] = [];
  const found: string[] = [];
  const lookAt = (batch: readonly ExportedProduct[] = []): void => {
    found.push(...batch.map((product) => `${product.externalId} ${product.digest}`));
  };
  for await (const batch of groupedProducts(path, SCOPE, readBytes)) {
    waiting.push(batch);
    if (waiting.length > 2) lookAt(waiting.shift());
  }
  for (const batch of waiting) lookAt(batch);
  return found;
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

  it('comes in small batches at first, each with more than the one before until a buffer is full', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => linesOf(1_000 + index, 0)).flat();
    const path = join(folder, 'long.jsonl');
    await writeFile(path, lines.join('\n'));
    const sizes: number[] = [];
    for await (const batch of groupedProducts(path, SCOPE, (lines[0]?.length ?? 0) * 64))
      sizes.push(batch.length);
    const [first = 0, second = 0, third = 0] = sizes;
    expect(first).toBeLessThan(10);
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(200);
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
