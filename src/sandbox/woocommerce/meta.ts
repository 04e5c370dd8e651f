import { z } from 'zod';
import type { Meta, Post } from './model.js';
import { NotInSandbox } from './model.js';
import type { Shop } from './shop.js';

/** Keys that WooCommerce keeps for itself: no answer shows them, but a request that names one is carried out. */
const HIDDEN = new Set([
  '_sku',
  '_global_unique_id',
  '_price',
  '_regular_price',
  '_sale_price',
  '_weight',
  '_manage_stock',
  '_stock',
  '_stock_status',
  '_thumbnail_id',
  '_product_image_gallery',
  '_product_attributes',
  '_default_attributes',
  '_edit_lock',
  '_edit_last',
  '_variation_description',
  'total_sales',
]);

export function isHiddenMeta(key: string): boolean {
  return HIDDEN.has(key);
}

export const MetaEntries = z.array(
  z.object({ id: z.number().optional(), key: z.string().optional(), value: z.unknown() }),
);
type MetaEntry = z.infer<typeof MetaEntries>[number];

/** The product with the entries of one request, in their order. */
export function withMeta(shop: Shop, post: Post, entries: z.infer<typeof MetaEntries>): Post {
  return entries.reduce((written, entry) => withEntry(shop, written, entry), post);
}

function withEntry(shop: Shop, post: Post, entry: MetaEntry): Post {
  const { key = '' } = entry;
  if (isHiddenMeta(key)) return withOwnKey(post, key, entry.value);
  const value = keptValue(entry.value);
  const named = post.meta.find(({ id }) => id === entry.id);
  if (named)
    return { ...post, meta: post.meta.flatMap((row) => (row === named ? changed(row, key, value) : [row])) };
  const first = post.meta.find((row) => row.key === key);
  if (!first) return value === null ? post : { ...post, meta: [...post.meta, shop.newMeta(key, value)] };
  // The other rows of the key go.
  return {
    ...post,
    meta: post.meta.flatMap((row) =>
      row.key !== key ? [row] : row === first ? changed(row, key, value) : [],
    ),
  };
}

function changed(row: Meta, key: string, value: unknown): Meta[] {
  return value === null ? [] : [{ ...row, key: key === '' ? row.key : key, value }];
}

/** Numbers and booleans become text; objects and lists stay. */
function keptValue(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? '1' : '';
  return typeof value === 'number' ? String(value) : (value ?? null);
}

function withOwnKey(post: Post, key: string, value: unknown): Post {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  switch (key) {
    case '_sku':
      return { ...post, sku: text };
    case '_regular_price':
      return { ...post, regularPrice: text };
    case 'total_sales':
      return { ...post, totalSales: Number(text) };
    case '_product_attributes':
      // Recorded so: a text in place of the list wipes the product's attributes.
      return { ...post, attributes: [] };
    case '_edit_lock':
      return { ...post, meta: [...post.meta.filter((row) => row.key !== key), { id: 0, key, value: text }] };
    default:
      throw new NotInSandbox(`meta ${key}`);
  }
}
