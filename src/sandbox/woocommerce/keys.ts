import { createHmac } from 'node:crypto';
import { RestError } from './model.js';

export interface ApiKey {
  readonly key: string;
  readonly secret: string;
  readonly permissions: 'read' | 'write' | 'read_write';
  /** Of the user who owns the key: an author may not see the shop's lists. */
  readonly role: 'shop_manager' | 'author';
}

export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  readonly tls: boolean;
}

const WINDOW_SECONDS = 15 * 60;

/** The shop's API keys. Basic authentication works over TLS alone, OAuth 1.0a over both. */
export class Keys {
  private readonly keys: ApiKey[] = [];
  private readonly nonces = new Set<string>();

  constructor(
    private readonly now: () => Date,
    private readonly homeUrl: () => string,
  ) {}

  add(key: ApiKey): void {
    this.keys.push(key);
  }

  revoke(key: string): void {
    const at = this.keys.findIndex((each) => each.key === key);
    if (at >= 0) this.keys.splice(at, 1);
  }

  /** The key that a request bears, or null where it bears none that is known. Throws for one that is wrong. */
  of(request: SignedRequest): ApiKey | null {
    const key = (request.tls ? this.basic(request) : null) ?? this.oauth(request);
    if (key) refuseForbidden(key, request.method);
    return key;
  }

  private basic({ authorization, query }: SignedRequest): ApiKey | null {
    const given = /^Basic (\S+)$/i.exec(authorization ?? '')?.[1];
    const pair = given === undefined ? null : Buffer.from(given, 'base64').toString();
    const [name, secret] =
      pair === null
        ? [query.get('consumer_key'), query.get('consumer_secret')]
        : [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)];
    const known = this.keys.find(({ key }) => key === name);
    if (known && known.secret !== secret) throw wrongKey('Consumer secret is invalid.');
    return known ?? null;
  }

  private oauth(request: SignedRequest): ApiKey | null {
    const parameters = [...request.query, ...headerParameters(request.authorization)];
    const value = (name: string): string => parameters.find(([key]) => key === `oauth_${name}`)?.[1] ?? '';
    if (value('consumer_key') === '') return null;
    const known = this.keys.find(({ key }) => key === value('consumer_key'));
    if (!known) throw wrongKey('Consumer key is invalid.');
    if (!this.isSigned(request, parameters, known, value('signature'), value('signature_method')))
      throw wrongKey('Invalid signature - provided signature does not match.');
    const age = Math.abs(this.now().getTime() / 1000 - Number(value('timestamp')));
    if (!(age <= WINDOW_SECONDS)) throw wrongKey('Invalid timestamp.');
    const nonce = `${known.key} ${value('nonce')}`;
    if (this.nonces.has(nonce)) throw wrongKey('Invalid nonce - nonce has already been used.');
    this.nonces.add(nonce);
    return known;
  }

  /** Signed for the address that the shop calls its own, whatever host was called. The body is no part of it. */
  private isSigned(
    { method, path, tls }: SignedRequest,
    parameters: readonly (readonly [string, string])[],
    { secret }: ApiKey,
    signature: string,
    algorithm: string,
  ): boolean {
    const hash = { 'HMAC-SHA1': 'sha1', 'HMAC-SHA256': 'sha256' }[algorithm];
    if (hash === undefined) return false;
    const address = `${this.homeUrl().replace(/^https?:/, tls ? 'https:' : 'http:')}${path}`;
    const pairs = parameters
      .filter(([name]) => name !== 'oauth_signature')
      // PHP numbers `name[]`, so that what it signs is not what was sent.
      .map(([name, value], index) => `${encoded(name.replace(/\[\]$/, `[${index}]`))}=${encoded(value)}`)
      .sort();
    const base = [method, encoded(address), encoded(pairs.join('&'))].join('&');
    return createHmac(hash, `${secret}&`).update(base).digest('base64') === signature;
  }
}

function headerParameters(authorization = ''): [string, string][] {
  if (!/^OAuth /i.test(authorization)) return [];
  return [...authorization.matchAll(/\b(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    decodeURIComponent(value),
  ]);
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function refuseForbidden({ permissions, role }: ApiKey, method: string): void {
  const isRead = method === 'GET' || method === 'HEAD';
  if (permissions !== 'read_write' && (permissions === 'read') !== isRead)
    throw wrongKey(`The API key provided does not have ${isRead ? 'read' : 'write'} permissions.`);
  if (role === 'author') throw refusedAccess(403, isRead ? 'view' : 'edit');
}

function wrongKey(message: string): RestError {
  return new RestError(401, 'woocommerce_rest_authentication_error', message);
}

export function refusedAccess(status: 401 | 403, what: 'view' | 'edit'): RestError {
  const message =
    what === 'view'
      ? 'Sorry, you cannot list resources.'
      : 'Sorry, you are not allowed to edit this resource.';
  return new RestError(status, `woocommerce_rest_cannot_${what}`, message);
}
