import { CodedError } from '../domain/errors.js';
import { isLoopback } from '../domain/loopback.js';
import { withoutTrailing } from '../domain/text.js';

/**
 * The service's base URL, checked and without a trailing slash (docs/catalog-rules.md#authentication: only HTTPS, except on
 * loopback). Throws `misconfigured` otherwise, without repeating a URL that contains credentials.
 */
export function parseBaseUrl(value: string): URL {
  if (!URL.canParse(value)) throw new CodedError('misconfigured', 'catalog base URL is not a URL');
  const url = new URL(value);
  if (url.username !== '' || url.password !== '') {
    throw new CodedError('misconfigured', 'catalog base URL must not hold credentials');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    throw new CodedError('misconfigured', `catalog base URL must be https: ${url.origin}`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new CodedError(
      'misconfigured',
      `catalog base URL must end with its path: ${url.origin}${url.pathname}`,
    );
  }
  url.pathname = withoutTrailing(url.pathname, '/');
  return url;
}

export type Query = readonly (readonly [name: string, value: string])[];

/** `{base_url}` + path + query. The path keeps its trailing slash, and `{id}` is replaced by the encoded id. */
export function endpointUrl(
  base: URL,
  path: string,
  ids: Readonly<Record<string, string>> = {},
  query: Query = [],
) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const id = ids[name];
    return id === undefined ? whole : encodeSegment(id);
  });
  const url = new URL(base);
  const [pathname = '', ownQuery = ''] = filled.split('?', 2);
  url.pathname = `${base.pathname.replace(/\/$/, '')}${pathname}`;
  url.search = ownQuery;
  for (const [name, value] of query) url.searchParams.append(name, value);
  return url;
}

/** One path segment. An id of `.` or `..` would walk up the path, even when encoded. */
export function encodeSegment(id: string): string {
  if (id === '' || id === '.' || id === '..') throw new CodedError('invalid', 'an id must name something');
  return encodeURIComponent(id);
}

/**
 * The URL of the next page, from an absolute or relative `next` (docs/catalog-rules.md#get-products). It must have
 * the base URL's origin, or the token would be sent to another host. `http:` for the same host becomes the base URL's
 * scheme, because a service behind a TLS proxy may write such links. Throws `misconfigured`.
 */
export function nextPageUrl(base: URL, next: string, current: URL): URL {
  if (!URL.canParse(next, current.href))
    throw new CodedError('misconfigured', 'catalog answered a next page that is no URL');
  const url = new URL(next, current);
  if (
    url.protocol === 'http:' &&
    base.protocol === 'https:' &&
    url.port === '' &&
    url.hostname === base.hostname
  ) {
    url.protocol = base.protocol;
    url.port = base.port;
  }
  if (url.origin !== base.origin || url.username !== '' || url.password !== '') {
    throw new CodedError(
      'misconfigured',
      `catalog answered a next page on another host (${url.origin}), not on ${base.origin}; set baseUrl to the address the service gives itself`,
    );
  }
  url.hash = '';
  return url;
}
