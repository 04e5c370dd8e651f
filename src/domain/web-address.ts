import { withoutTrailing } from './text.js';

/** The host of an address in the one form in which hosts are compared: in lower case, without a trailing dot and the default port. */
export function hostOf({ hostname, port }: URL): string {
  const name = withoutTrailingDots(hostname);
  return port === '' ? name : `${name}:${port}`;
}

/** The host of a complete web address that others can request, with or without its scheme; null for any other text. */
export function hostOfAddress(given: string): string | null {
  const address = absoluteAddress(given);
  const url = address === null ? null : URL.parse(address);
  return url?.protocol === 'https:' && isPublicName(url.hostname) ? hostOf(url) : null;
}

const LONGEST_ADDRESS = 4096;
/** Browsers ignore these characters in addresses, so they could hide a scheme. */
const HIDDEN_SIGNS = /[\u0000-\u0020\u007f-\u00a0\u00ad\u200b-\u200f\u2028\u2029\u2060\ufeff]/;

/** The address with `https` instead of `http` or of no scheme; null for a relative or malformed address. */
export function absoluteAddress(given: string): string | null {
  const address = given.trim();
  if (address === '' || address.length > LONGEST_ADDRESS) return null;
  if (HIDDEN_SIGNS.test(address) || address.includes('\\')) return null;
  if (address.startsWith('//')) return `https:${address}`;
  const scheme = /^([a-z]{2,10}):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) return null;
  const rest = address.slice(scheme.length);
  // A browser takes `https:cart` for a path of the page, while a parser without a page takes `cart` for the host.
  if ((scheme === 'http' || scheme === 'https') && !/^:\/\/[^/]/.test(rest)) return null;
  return scheme === 'http' ? `https${rest.replace(/^(:\/\/[^/?#]*):80(?=[/?#]|$)/, '$1')}` : scheme + rest;
}

/** Names that are resolved on a private network only, or that public servers resolve to a private address. */
const PRIVATE_NAMES =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|arpa|invalid|onion|nip\.io|sslip\.io|xip\.io|localtest\.me|lvh\.me|vcap\.me|traefik\.me|lacolhost\.com|localho\.st)$/;

/** False for an IP address in any notation, which the URL parser has brought into its usual form. */
export function isPublicName(hostname: string): boolean {
  const name = withoutTrailingDots(hostname);
  const isAddress = name.startsWith('[') || /(?:^|\.)\d+$/.test(name);
  return name.includes('.') && !isAddress && !PRIVATE_NAMES.test(name);
}

export function withoutTrailingDots(hostname: string): string {
  return withoutTrailing(hostname, '.').toLowerCase();
}

/** True for a host, with or without a port, in the form in which hosts are compared. */
export function isPublicHost(text: string): boolean {
  return hostOfAddress(`https://${text}`) === text.toLowerCase();
}
