import type { EventHeaders } from '../../domain/store-port.js';
import { hasSignatureForm, headerText, isEventSignature } from '../event-signature.js';
import { complianceEventOf, type ComplianceEvent } from './compliance-event.js';
import { SHOPIFY } from './kind.js';

const SIGNATURE = 'x-shopify-hmac-sha256';
const TOPIC = 'x-shopify-topic';

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

/** See `complianceEventOf`. */
export function appEventOf(headers: EventHeaders, rawBody: Uint8Array): ComplianceEvent | null {
  return complianceEventOf(headers[TOPIC], rawBody);
}
