import { hkdfSync, timingSafeEqual } from 'node:crypto';

/** Every use of a secret as a key. Two uses never share a key, so that a code of one proves nothing for another. */
type KeyPurpose = 'install state' | 'dashboard session' | 'sign-in link' | 'store tokens';

/**
 * A key of 32 bytes for one purpose (HKDF with SHA-256). A secret that another program shares, such as the app's client secret, signs
 * that program's messages: our own codes use a derived key.
 */
export function derivedKey(secret: string | Buffer, purpose: KeyPurpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `store-sync/${purpose}`, 32));
}

/** Compares two codes in constant time. Their length is no secret. */
export function isSameCode(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
