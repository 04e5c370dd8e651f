import { createHmac } from 'node:crypto';
import { RestError } from './model.js';

export interface ApiKey {
  readonly key: string;
  readonly secret: string;
  readonly permissions: 'read' | 'read_write';
}

export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

const WINDOW_SECONDS = 15 * 60;

/** The shop's API keys. The sandbox speaks plain http, over which the shop takes OAuth 1.0a alone. */
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

  /** False for a request without a key. Throws for a key or a signature that is wrong. */
  isSigned(request: SignedRequest): boolean {
    const value = (name: string): string => request.query.get(`oauth_${name}`) ?? '';
    if (value('consumer_key') === '') return false;
    const known = this.keys.find(({ key }) => key === value('consumer_key'));
    if (!known) throw wrongKey('Consumer key is invalid.');
    if (value('signature_method') !== 'HMAC-SHA256' || value('signature') !== this.signature(request, known))
      throw wrongKey('Invalid signature - provided signature does not match.');
    const age = Math.abs(this.now().getTime() / 1000 - Number(value('timestamp')));
    if (!(age <= WINDOW_SECONDS)) throw wrongKey('Invalid timestamp.');
    const nonce = `${known.key} ${value('nonce')}`;
    if (this.nonces.has(nonce)) throw wrongKey('Invalid nonce - nonce has already been used.');
    this.nonces.add(nonce);
    if (known.permissions === 'read' && request.method !== 'GET')
      throw wrongKey('The API key provided does not have write permissions.');
    return true;
  }

  /** For the address that the shop calls its own, whatever host was called. The body is no part of it. */
  private signature({ method, path, query }: SignedRequest, { secret }: ApiKey): string {
    const pairs = [...query]
      .filter(([name]) => name !== 'oauth_signature')
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort();
    const base = [method, encoded(`${this.homeUrl()}${path}`), encoded(pairs.join('&'))].join('&');
    return createHmac('sha256', `${secret}&`).update(base).digest('base64');
  }
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function wrongKey(message: string): RestError {
  return new RestError(401, 'woocommerce_rest_authentication_error', message);
}

export function refusedAccess(what: 'view' | 'edit'): RestError {
  const message =
    what === 'view'
      ? 'Sorry, you cannot list resources.'
      : 'Sorry, you are not allowed to edit this resource.';
  return new RestError(401, `woocommerce_rest_cannot_${what}`, message);
}
