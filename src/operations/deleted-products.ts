import { z } from 'zod';
import type { GoneProduct, LinkRepository } from '../persistence/link.repository.js';
import type { Store } from '../connections/connections.js';
import { moment } from './paging.js';

export const goneProductSchema = z.object({
  externalId: z.string(),
  label: z.string(),
  catalogId: z.string().nullable(),
  /** The time of the complete read that missed it, or of the store's deletion event. */
  since: z.iso.datetime().nullable(),
  detail: z.string(),
});
export type PresentedGone = z.output<typeof goneProductSchema>;

export const goneSchema = z.object({ count: z.int(), products: z.array(goneProductSchema) });
export type Gone = z.output<typeof goneSchema>;

/** Read in pages, so that a long list does not hold database resources. */
const PAGE = 500;

/**
 * Catalog products whose source is gone from the store, in the order of their external_id; null where the store's `deleted`
 * setting is `keep`.
 */
export async function goneFrom(
  links: LinkRepository,
  store: Pick<Store, 'key' | 'settings'>,
  most: number = Number.POSITIVE_INFINITY,
): Promise<Gone | null> {
  if (store.settings.deleted === 'keep') return null;
  const products: PresentedGone[] = [];
  for (let after = ''; products.length < most;) {
    const wanted = Math.min(PAGE, most - products.length);
    const page = await links.gone(store.key, after, wanted);
    products.push(...page.map(presented));
    after = page.at(-1)?.externalId ?? after;
    if (page.length < wanted) break;
  }
  return { count: await links.countGone(store.key), products };
}

function presented({ externalId, label, catalogId, orphanedAt }: GoneProduct): PresentedGone {
  const detail = 'gone from the store; the catalog keeps it';
  return { externalId, label, catalogId, since: moment(orphanedAt), detail };
}
