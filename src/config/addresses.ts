import { isLoopback } from '../domain/loopback.js';

/**
 * The reason why a text cannot be the base address of a service; null when it can. It must be an absolute https: URL
 * without credentials, query and fragment. Plain http: is for loopback only (docs/configuration.md). The reason never
 * repeats the text.
 */
export function addressProblem(text: string): string | null {
  const url = URL.parse(text);
  const problem = secretAddressProblem(text);
  if (problem !== null || url === null) return problem;
  return url.search === '' && url.hash === '' ? null : 'a URL without query and fragment';
}

/** The same for an address that is used as it is and may have a query. The reason never repeats the text. */
export function secretAddressProblem(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return 'an absolute URL such as https://host.example.com';
  }
  if (url.protocol === 'http:' && !isLoopback(url))
    return 'an https: URL (plain http: is for loopback addresses only)';
  if (url.username !== '' || url.password !== '') return 'a URL without credentials in it';
  return null;
}

/** The reason why a text cannot be a server address with one of the given URL schemes; null when it can. */
export function serverUrlProblem(text: string, schemes: readonly string[]): string | null {
  const url = URL.parse(text);
  const known = url !== null && schemes.includes(url.protocol.slice(0, -1)) && url.host !== '';
  const forms = schemes.map((scheme) => `${scheme}://user:password@host:port`);
  return known ? null : `a URL of the form ${forms.join(' or ')}`;
}
