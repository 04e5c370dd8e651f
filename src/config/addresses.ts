const LOOPBACK = /^(localhost|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

/**
 * Says why a text cannot serve as the base address of a service, or null when it can: an absolute https: URL, plain http: on
 * loopback only (docs/configuration.md), without credentials, query or fragment. The answer never repeats the text.
 */
export function addressProblem(text: string): string | null {
  const url = URL.parse(text);
  const problem = secretAddressProblem(text);
  if (problem !== null || url === null) return problem;
  return url.search === '' && url.hash === '' ? null : 'a URL without query and fragment';
}

/** The same of an address that is called as it stands and may carry a query. The answer never repeats the text. */
export function secretAddressProblem(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return 'an absolute URL such as https://host.example.com';
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    return 'an https: URL (plain http: is for loopback addresses only)';
  if (url.username !== '' || url.password !== '') return 'a URL without credentials in it';
  return null;
}

/** Says why a text cannot be the address of a server that is reached with one of the given URL schemes, or null. */
export function serverUrlProblem(text: string, schemes: readonly string[]): string | null {
  const url = URL.parse(text);
  const known = url !== null && schemes.includes(url.protocol.slice(0, -1)) && url.host !== '';
  return known
    ? null
    : `a URL of the form ${schemes.map((scheme) => `${scheme}://user:password@host:port`).join(' or ')}`;
}
