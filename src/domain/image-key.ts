import { fingerprint } from './fingerprint.js';

const KEY_LENGTH = 12;

/**
 * Identifies an image among those of a product by its address without scheme and query: a store gives an image another query
 * whenever it is processed again.
 */
export function imageKey(address: string): string {
  const [bare = ''] = address.replace(/^https?:/i, '').split(/[?#]/, 1);
  return fingerprint(bare).slice(0, KEY_LENGTH);
}

/** The keys of images in their order, as one text. */
export function imageKeysText(addresses: readonly string[]): string {
  return addresses.map(imageKey).join(' ');
}

export function imageKeysIn(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}
