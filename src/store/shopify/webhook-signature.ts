import { createHmac, timingSafeEqual } from 'node:crypto';

/** Base64 of 32 bytes. */
const FORM = /^[A-Za-z0-9+/]{43}=$/;

/**
 * True when `header` (X-Shopify-Hmac-Sha256) is the base64 HMAC-SHA256 of the raw body under one of the secrets
 * (shopify.dev "Verify deliveries"). The comparison takes constant time. Empty secrets never match.
 */
export function isShopifySignature(
  rawBody: Uint8Array,
  header: string | undefined,
  secrets: readonly string[],
): boolean {
  if (header === undefined || !hasShopifySignatureForm(header)) return false;
  const given = Buffer.from(header, 'base64');
  let matches = false;
  for (const secret of secrets) {
    if (secret === '') continue;
    const expected = createHmac('sha256', secret).update(rawBody).digest();
    if (timingSafeEqual(expected, given)) matches = true;
  }
  return matches;
}

/** True when the header can be a signature at all: what else comes is refused before its body is read. */
export function hasShopifySignatureForm(header: string): boolean {
  if (!FORM.test(header)) return false;
  // Base64 leaves two bits of the last character unused, so only one spelling of a signature is accepted.
  const bytes = Buffer.from(header, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === header;
}
