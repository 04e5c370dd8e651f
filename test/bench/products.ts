import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';

/** Synthetic products as lines of a bulk export: three variants and two images each, some 2.3 KB a product. */
const WORDS =
  'warm light oak walnut linen brushed steel handmade slow calm river stone winter garden morning paper glass copper felt small'.split(
    ' ',
  );
const COLOURS = ['Black', 'Sand', 'Forest'];

/** `revision` n > 0: the merchant has changed the vendor since. */
export function productLines(id: number, revision = 0): string[] {
  const product = `gid://shopify/Product/${String(id)}`;
  const title = `${sentence(id, 3)} ${String(id)}`;
  const core = {
    __typename: 'Product',
    id: product,
    title,
    handle: `product-${String(id)}`,
    descriptionHtml: `<p>${sentence(id, 60)}.</p><ul><li>${sentence(id + 7, 12)}</li><li>${sentence(id + 9, 12)}</li></ul>`,
    vendor: revision === 0 ? 'Lindgren' : `Lindgren ${String(revision)}`,
    productType: 'Lamp',
    tags: [WORDS[id % WORDS.length], WORDS[(id + 5) % WORDS.length]],
    status: 'ACTIVE',
    updatedAt: '2026-11-19T10:00:00Z',
    onlineStoreUrl: `https://shop.example.com/products/product-${String(id)}`,
    category: { fullName: 'Home & Garden > Lighting > Lamps' },
    seo: { title: null, description: null },
    options: [{ name: 'Colour', position: 1, optionValues: COLOURS.map((name) => ({ name })) }],
  };
  const variants = COLOURS.map((value, index) => ({
    __typename: 'ProductVariant',
    id: `gid://shopify/ProductVariant/${String(id * 10 + index)}`,
    title: value,
    sku: `SKU-${String(id)}-${String(index)}`,
    barcode: String(4_000_000_000_000 + id * 10 + index),
    position: index + 1,
    selectedOptions: [{ name: 'Colour', value }],
    __parentId: product,
  }));
  const media = [1, 2].map((number) => ({
    __typename: 'MediaImage',
    id: `gid://shopify/MediaImage/${String(id * 10 + number)}`,
    image: {
      url: `https://cdn.example.com/s/files/1/0000/0001/products/${String(id)}-${String(number)}.jpg`,
    },
    __parentId: product,
  }));
  return [core, ...variants, ...media].map((node) => JSON.stringify(node));
}

function sentence(seed: number, words: number): string {
  let state = (seed * 2_654_435_761) >>> 0;
  const chosen: string[] = [];
  for (let index = 0; index < words; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    chosen.push(WORDS[state % WORDS.length] ?? '');
  }
  return chosen.join(' ');
}

export interface ExportFile {
  readonly path: string;
  readonly products: number;
  readonly lines: number;
}

/** Products 1 to `products`; each of the first `changed` as the merchant has changed it since. */
export async function writeExportFile(path: string, products: number, changed = 0): Promise<ExportFile> {
  const out = createWriteStream(path);
  for (let id = 1; id <= products; id++) {
    if (!out.write(`${productLines(id, id <= changed ? 1 : 0).join('\n')}\n`)) await once(out, 'drain');
  }
  out.end();
  await finished(out);
  return { path, products, lines: products * productLines(1).length };
}
