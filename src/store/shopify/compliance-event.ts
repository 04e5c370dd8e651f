import { z } from 'zod';
import { readUntrustedJson } from '../../runtime/untrusted-json.js';
import { shopOf } from './install.js';

const TOPICS = ['customers/data_request', 'customers/redact', 'shop/redact'] as const;

/** A request that Shopify sends to each app: about the data of a customer, or of a shop that uninstalled the app. */
export interface ComplianceEvent {
  readonly topic: (typeof TOPICS)[number];
  readonly shop: string;
}

const eventSchema = z.looseObject({ shop_domain: z.string() });
const wholeShop = z.strictObject({ shop_id: z.unknown(), shop_domain: z.string() });

/**
 * Reads such a request; null for anything else. The topic is not signed, so a body about a customer is never a request to erase
 * the shop.
 */
export function complianceEventOf(header: unknown, rawBody: Uint8Array): ComplianceEvent | null {
  const topic = TOPICS.find((each) => each === header);
  const read = readUntrustedJson(rawBody);
  const body = read.ok ? read.value : null;
  const event = eventSchema.safeParse(body);
  const shop = event.success ? shopOf(event.data.shop_domain) : null;
  if (topic === undefined || shop === null) return null;
  return topic === 'shop/redact' && !wholeShop.safeParse(body).success ? null : { topic, shop };
}
