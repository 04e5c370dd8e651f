import { z } from 'zod';

const eventSchema = z.looseObject({
  admin_graphql_api_id: z.string().optional(),
  id: z.union([z.number().int().positive(), z.string().regex(/^\d+$/)]).optional(),
});

const PRODUCT_ID = /^gid:\/\/shopify\/Product\/\d+$/;

/** The product that an event names, as the store's own id; null when it names none. A deletion contains only the numeric id. */
export function productIdOfEvent(rawBody: Uint8Array): string | null {
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
