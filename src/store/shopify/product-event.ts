import { z } from 'zod';
import { readUntrustedJson } from '../../runtime/untrusted-json.js';

const eventSchema = z.looseObject({
  admin_graphql_api_id: z.string().optional(),
  id: z.union([z.number().int().positive(), z.string().regex(/^\d+$/)]).optional(),
});

const PRODUCT_ID = /^gid:\/\/shopify\/Product\/\d+$/;

/** The product that an event names, as the store's own id; null when it names none. A deletion contains only the numeric id. */
export function productIdOfEvent(rawBody: Uint8Array): string | null {
  const read = readUntrustedJson(rawBody);
  const event = eventSchema.safeParse(read.ok ? read.value : null);
  if (!event.success) return null;
  const { admin_graphql_api_id: gid, id } = event.data;
  if (gid !== undefined && PRODUCT_ID.test(gid)) return gid;
  return id === undefined || gid !== undefined ? null : `gid://shopify/Product/${String(id)}`;
}
