import { z } from 'zod';

const eventSchema = z.looseObject({
  admin_graphql_api_id: z.string().optional(),
  id: z.union([z.number().int().positive(), z.string().regex(/^\d+$/)]).optional(),
});

const PRODUCT_ID = /^gid:\/\/shopify\/Product\/\d+$/;

/**
 * The product of a stored event, as the store's own id; null when it names none. A deletion contains only the numeric
 * id.
 */
export function productIdOfEvent(rawBody: Uint8Array): string | null {
  const event = eventSchema.safeParse(parsed(rawBody));
  if (!event.success) return null;
  const { admin_graphql_api_id: gid, id } = event.data;
  if (gid !== undefined && PRODUCT_ID.test(gid)) return gid;
  return id === undefined || gid !== undefined ? null : `gid://shopify/Product/${String(id)}`;
}

/** The part of an event that is kept: the product's id alone. The store's answer to a read says everything else. */
export function keptOfEvent(rawBody: Uint8Array): Buffer {
  const id = productIdOfEvent(rawBody);
  return Buffer.from(JSON.stringify(id === null ? {} : { admin_graphql_api_id: id }));
}

function parsed(rawBody: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody));
  } catch {
    // A signed body without JSON names no product. The next run still reads the changes.
    return null;
  }
}
