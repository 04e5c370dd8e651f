import { createHmac, randomBytes } from 'node:crypto';

export interface ApiKey {
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

/** The header of basic authentication, which the shop takes over TLS alone. */
export function basicAuthorization({ consumerKey, consumerSecret }: ApiKey): string {
  return `Basic ${Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64')}`;
}

/**
 * The parameters of one-legged OAuth 1.0a, for plain http. `ownUrl`: the address of the route below the address that the shop says is its
 * own, which is not always the one that is called. The body is not signed, and a nonce serves once.
 */
export function oauthParameters(
  { consumerKey, consumerSecret }: ApiKey,
  method: string,
  ownUrl: string,
  query: URLSearchParams,
): Record<string, string> {
  const own = {
    oauth_consumer_key: consumerKey,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA256',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
  };
  const pairs = [...query, ...Object.entries(own)]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const base = [method, ownUrl, pairs].map(encoded).join('&');
  const signature = createHmac('sha256', `${consumerSecret}&`).update(base).digest('base64');
  return { ...own, oauth_signature: signature };
}

/** As RFC 3986 has it. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
