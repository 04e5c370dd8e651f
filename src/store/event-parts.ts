import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { EventHeaders } from '../domain/store-port.js';
import { readUntrustedJson } from '../runtime/untrusted-json.js';

/** Base64 of 32 bytes. */
const FORM = /^[A-Za-z0-9+/]{43}=$/;

/** Stands for the secret of a store that does not exist or has none, so that every signature is compared. */
export const NOBODYS_SECRET = randomBytes(32).toString('hex');

/** The JSON of a body; null for what is none. */
export function jsonOf(rawBody: Uint8Array): unknown {
  const read = readUntrustedJson(rawBody);
  return read.ok ? read.value : null;
}

/** A header's text. One that stands twice counts as none. */
export function headerText(headers: EventHeaders, name: string): string {
  const header = headers[name];
  return typeof header === 'string' ? header : '';
}

/**
 * True when `signature` is the base64 HMAC-SHA256 of the raw body under one of the secrets. The comparison takes constant time. Empty
 * secrets never match.
 */
export function isEventSignature(
  rawBody: Uint8Array,
  signature: string,
  secrets: readonly string[],
): boolean {
  if (!hasSignatureForm(signature)) return false;
  const given = Buffer.from(signature, 'base64');
  let matches = false;
  for (const secret of secrets) {
    if (secret === '') continue;
    const expected = createHmac('sha256', secret).update(rawBody).digest();
    if (timingSafeEqual(expected, given)) matches = true;
  }
  return matches;
}

/** True when the text can be a signature at all: what else comes is refused before its body is read. */
export function hasSignatureForm(text: string): boolean {
  if (!FORM.test(text)) return false;
  // Base64 leaves two bits of the last character unused, so only one spelling of a signature is accepted.
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === text;
}
