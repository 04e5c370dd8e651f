import { createHmac, timingSafeEqual } from 'node:crypto';

/** Base64 of 32 bytes. */
const FORM = /^[A-Za-z0-9+/]{43}=$/;

/**
 * True when `header` (X-Shopify-Hmac-Sha256) is the base64 HMAC-SHA256 of the raw body under one of the secrets
 * (shopify.dev "Verify deliveries"). Takes equally long wherever the first difference lies. Empty secrets match nothing.
 */
export function isShopifySignature(
  rawBody: Uint8Array,
  header: string | undefined,
  secrets: readonly string[],
): boolean {
  if (header === undefined || !FORM.test(header)) return false;
  const given = Buffer.from(header, 'base64');
  // Base64 leaves two bits of the last character unused: only one spelling of a signature counts.
  if (given.length !== 32 || given.toString('base64') !== header) return false;
  let matches = false;
  for (const secret of secrets) {
    if (secret === '') continue;
    const expected = createHmac('sha256', secret).update(rawBody).digest();
    if (timingSafeEqual(expected, given)) matches = true;
  }
  return matches;
}
