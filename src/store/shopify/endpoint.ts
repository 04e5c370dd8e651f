import { CodedError } from '../../domain/errors.js';
import { isLoopback } from '../../domain/loopback.js';
import { withoutTrailing } from '../../domain/text.js';

/** The permanent address of a shop. */
export const SHOP = /^[a-z0-9][a-z0-9-]{0,59}\.myshopify\.com$/;
const VERSION = /^(\d{4}-\d{2}|unstable)$/;

/**
 * The base URL of a shop, without a trailing slash. Throws `misconfigured` for a shop that is not a myshopify.com
 * name, because the client library would call any host. Also throws for an endpoint without https, except on
 * loopback.
 */
export function resolveEndpoint(shop: string, endpoint: string | undefined): URL {
  if (!SHOP.test(shop))
    throw new CodedError('misconfigured', `shop must be of the form name.myshopify.com, got "${shop}"`);
  if (endpoint === undefined || endpoint === '') return new URL(`https://${shop}`);
  const url = URL.parse(endpoint);
  if (url === null || !isSafeUrl(url) || url.search !== '' || url.hash !== '') {
    throw new CodedError(
      'misconfigured',
      'endpoint must be an https: URL (plain http: on loopback only) without credentials, query and fragment',
    );
  }
  return url;
}

export function requireApiVersion(version: string): string {
  if (VERSION.test(version)) return version;
  throw new CodedError('misconfigured', `apiVersion must be of the form 2026-10, got "${version}"`);
}

/** https, or http to this machine; without user name and password. */
export function isSafeUrl(url: URL): boolean {
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  return secure && url.username === '' && url.password === '';
}

/** The path below the base URL, as an absolute path. */
export function pathBelow(base: URL, path: string): string {
  return `${withoutTrailing(base.pathname, '/')}${path}`;
}
