import type { EventHeaders } from '../../domain/store-port.js';
import { complianceEventOf, type ComplianceEvent } from './compliance-event.js';
import { SHOPIFY } from './kind.js';
import { hasShopifySignatureForm, isShopifySignature } from './webhook-signature.js';

const SIGNATURE = 'x-shopify-hmac-sha256';
const TOPIC = 'x-shopify-topic';

/** The routes of the install flow, and of the requests that the platform sends to each app: one address for all shops. */
export const INSTALL_ROUTES = SHOPIFY;
export const APP_EVENTS = `webhooks/${SHOPIFY}`;

/** False when the request has no signature, so that its body need not be read. */
export function mayBeAppSignature(headers: EventHeaders): boolean {
  return hasShopifySignatureForm(signatureOf(headers));
}

export function isAppSignature(
  headers: EventHeaders,
  rawBody: Uint8Array,
  secrets: readonly string[],
): boolean {
  return isShopifySignature(rawBody, signatureOf(headers), secrets);
}

/** See `complianceEventOf`. */
export function appEventOf(headers: EventHeaders, rawBody: Uint8Array): ComplianceEvent | null {
  return complianceEventOf(headers[TOPIC], rawBody);
}

/** A header that stands twice counts as none. */
function signatureOf(headers: EventHeaders): string {
  const header = headers[SIGNATURE];
  return typeof header === 'string' ? header : '';
}
