import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { partitioned, type PartitionCensus } from './partitioned-file.js';

const SCOPE = { shop: 'demo.myshopify.com', variantMetafields: [], locales: [] };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'partitioned-file-'));
});
afterAll(async () => rm(folder, { recursive: true }));

const line = (node: object): string => `${JSON.stringify(node).replaceAll('/', String.raw`\/`)}\n`;
const root = (id: number, extra: object = {}): string =>
  line({ __typename: 'Product', id: `gid://shopify/Product/${String(id)}`, ...extra });
const variant = (of: number, id: number, extra: object = {}): string =>
  line({
    __typename: 'ProductVariant',
    id: `gid://shopify/ProductVariant/${String(id)}`,
    ...extra,
    __parentId: `gid://shopify/Product/${String(of)}`,
  });
const medium = (of: number): string =>
  line({
    __typename: 'MediaImage',
    id: 'gid://shopify/MediaImage/5',
    __parentId: `gid://shopify/ProductVariant/${String(of)}`,
  });

interface Read {
  readonly census: PartitionCensus | null;
  /** Products that had been returned when the census was given. */
  readonly before: number;
  readonly products: number;
}

async function read(text: string, partitionBytes = 200): Promise<Read> {
  const path = join(folder, 'export.jsonl');
  await writeFile(path, text);
  let census: PartitionCensus | null = null;
  let [products, before] = [0, 0];
  const prove = (counted: PartitionCensus): void => {
    [census, before] = [counted, products];
  };
  for await (const batch of partitioned(path, folder, { scope: SCOPE, partitionBytes }, prove))
    products += batch.length;
  return { census, before, products };
}

describe('an export that is read by parts', () => {
  it('is counted before its first product is returned', async () => {
    const text = root(1) + root(2) + variant(2, 21) + variant(1, 11) + medium(11);
    expect(await read(text)).toEqual({
      census: { lines: 5, roots: 2, grouped: false },
      before: 0,
      products: 2,
    });
    expect(await read('')).toMatchObject({ census: { lines: 0, roots: 0 }, products: 0 });
  });

  it.each([
    ['children right behind their products', root(1) + variant(1, 11) + medium(11) + root(2), true],
    ['a child of another product’s variant', root(1) + variant(1, 11) + root(2) + medium(11), false],
    ['a child before its variant', root(1) + medium(11) + variant(1, 11), false],
    ['a child behind another product', root(1) + root(2) + variant(1, 11), false],
    ['a child before its product', variant(1, 11) + root(1), false],
  ])('says of %s whether the next one may be read while it is downloaded', async (_what, text, grouped) => {
    expect((await read(text)).census).toMatchObject({ grouped });
  });

  it('is counted as a parser would count it, whatever the texts in its lines', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('__parentId', '"__parentId":"x"', '\\"__parentId\\":', '\\'),
    );
    const extra = fc.record({ a: text, b: text, nested: fc.record({ id: text, c: text }) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(extra, fc.boolean())), async (nodes) => {
        const lines = nodes.map(([value, isChild], index) =>
          isChild ? variant(0, index, value) : root(index + 1, value),
        );
        const roots = 1 + nodes.filter(([, isChild]) => !isChild).length;
        const { census, products } = await read([root(0), ...lines].join(''), 2_000);
        expect(census).toMatchObject({ lines: nodes.length + 1, roots });
        expect(products).toBe(roots);
      }),
      { numRuns: 50 },
    );
  });

  it('fails as transient before its census when the last line is cut off', async () => {
    await expect(read((root(1) + root(2)).slice(0, -10))).rejects.toMatchObject({ code: 'transient' });
  });
});
