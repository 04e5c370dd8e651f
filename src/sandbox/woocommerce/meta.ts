import { z } from 'zod';
import type { Meta, Post } from './model.js';
import type { Shop } from './shop.js';

export const MetaEntries = z.array(z.strictObject({ key: z.string(), value: z.string().nullable() }));

/** The product's meta data after the entries of one request, in their order: null deletes, and a key has one row from then on. */
export function withMeta(shop: Shop, { meta }: Post, entries: z.infer<typeof MetaEntries>): readonly Meta[] {
  return entries.reduce<readonly Meta[]>((rows, { key, value }) => {
    const first = rows.find((row) => row.key === key);
    if (value === null) return rows.filter((row) => row.key !== key);
    if (!first) return [...rows, shop.newMeta(key, value)];
    return rows.flatMap((row) => (row.key !== key ? [row] : row === first ? [{ ...row, value }] : []));
  }, meta);
}
