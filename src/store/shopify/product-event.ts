import { z } from 'zod';
import { parseExternalId, productExternalId } from '../../domain/external-id.js';

const eventSchema = z.looseObject({
  admin_graphql_api_id: z.string().optional(),
  id: z.union([z.number().int().positive(), z.string().regex(/^\d+$/)]).optional(),
});

const PRODUCT_ID = /^gid:\/\/shopify\/Product\/\d+$/;

/** A product by its external_id and by the store's own id. */
export interface EventProduct {
  readonly externalId: string;
  readonly storeId: string;
}

/** The product of the shop that an event names; null when it names none. A deletion contains only the numeric id. */
export function productOfEvent(shop: string, rawBody: Uint8Array): EventProduct | null {
  const storeId = productIdOf(rawBody);
  if (storeId === null) return null;
  const externalId = productExternalId(shop, storeId.split('/').at(-1) ?? '');
  return parseExternalId(externalId) === null ? null : { externalId, storeId };
}

function productIdOf(rawBody: Uint8Array): string | null {
  const event = eventSchema.safeParse(parsed(rawBody));
  if (!event.success) return null;
  const { admin_graphql_api_id: gid, id } = event.data;
  if (gid !== undefined && PRODUCT_ID.test(gid)) return gid;
  return id === undefined || gid !== undefined ? null : `gid://shopify/Product/${String(id)}`;
}

function parsed(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody));
  } catch {
    return null;
  }
}
