const KEY_BYTES = 32;

/** False for what is no key, and for one byte again and again, such as zeros. */
export function isRandomKey(bytes: Buffer | null): boolean {
  return bytes !== null && new Set(bytes).size > 1;
}

/** The bytes of a key: 32 of them as base64 or as 64 hexadecimal digits; null for any other text. */
export function keyBytes(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === KEY_BYTES ? bytes : null;
}
