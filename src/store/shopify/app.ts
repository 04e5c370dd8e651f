import { z } from 'zod';
import type { EventHeaders } from '../../domain/store-port.js';
import { hasSignatureForm, headerText, isEventSignature, jsonOf } from '../event-parts.js';
import { shopOf } from './install.js';
import { SHOPIFY } from './kind.js';

const SIGNATURE = 'x-shopify-hmac-sha256';
const TOPICS = ['customers/data_request', 'customers/redact', 'shop/redact'] as const;

/** The routes of the install flow, and of the requests that the platform sends to each app: one address for all shops. */
export const INSTALL_ROUTES = SHOPIFY;
export const APP_EVENTS = `webhooks/${SHOPIFY}`;

/** False when the request has no signature, so that its body need not be read. */
export function mayBeAppSignature(headers: EventHeaders): boolean {
  return hasSignatureForm(headerText(headers, SIGNATURE));
}

export function isAppSignature(
  headers: EventHeaders,
  rawBody: Uint8Array,
  secrets: readonly string[],
): boolean {
  return isEventSignature(rawBody, headerText(headers, SIGNATURE), secrets);
}

/** A request that Shopify sends to each app: about the data of a customer, or of a shop that uninstalled the app. */
interface ComplianceEvent {
  readonly topic: (typeof TOPICS)[number];
  readonly shop: string;
}

const eventSchema = z.looseObject({ shop_domain: z.string() });
const wholeShop = z.strictObject({ shop_id: z.unknown(), shop_domain: z.string() });

/**
 * Reads such a request; null for anything else. The topic is not signed, so a body about a customer is never a request to erase
 * the shop.
 */
export function appEventOf(headers: EventHeaders, rawBody: Uint8Array): ComplianceEvent | null {
  const topic = TOPICS.find((each) => each === headers['x-shopify-topic']);
  const body = jsonOf(rawBody);
  const event = eventSchema.safeParse(body);
  const shop = event.success ? shopOf(event.data.shop_domain) : null;
  if (topic === undefined || shop === null) return null;
  return topic === 'shop/redact' && !wholeShop.safeParse(body).success ? null : { topic, shop };
}
