import { createHmac, timingSafeEqual } from 'node:crypto';

/** Base64 of 32 bytes. */
const FORM = /^[A-Za-z0-9+/]{43}=$/;

export function hasWooSignatureForm(header: string): boolean {
  return FORM.test(header);
}

/** True when the header is the base64 HMAC-SHA256 of the raw body under the secret. The comparison takes constant time. */
export function isWooSignature(rawBody: Uint8Array, header: string, secret: string): boolean {
  if (!FORM.test(header) || secret === '') return false;
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  const given = Buffer.from(header, 'base64');
  return given.length === expected.length && timingSafeEqual(expected, given);
}
