import { createHmac, timingSafeEqual } from 'node:crypto';
import { CodedError } from '../../domain/errors.js';
import { IMAGE_ALTS } from '../../domain/write-target.js';
import { pathBelow, resolveEndpoint, SHOP } from './endpoint.js';
import { codeGrant, type TokenGrant } from './token-endpoint.js';

const HMAC = /^[0-9a-f]{64}$/;
const REQUEST_MS = 10_000;

/** The app and the shop that it is installed in. */
export interface InstallTarget {
  readonly shop: string;
  /** Base URL in place of `https://{shop}`. */
  readonly endpoint: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The permanent address of a shop, in lower case; null for any other text. */
export function shopOf(text: unknown): string | null {
  const shop = typeof text === 'string' ? text.toLowerCase() : '';
  return SHOP.test(shop) ? shop : null;
}

/** The name of a shop: its permanent address without the platform's domain. */
export function shopName(shop: string): string {
  return shop.replace(/\.myshopify\.com$/, '');
}

/** The store's consent page. The redirect leads to the shop that was checked, or to the configured endpoint, and nowhere else. */
export function consentPage(
  { shop, endpoint, clientId }: InstallTarget,
  request: { readonly scopes: readonly string[]; readonly redirectUri: string; readonly state: string },
): string {
  const base = resolveEndpoint(shop, endpoint);
  const url = new URL(pathBelow(base, '/admin/oauth/authorize'), base);
  url.search = new URLSearchParams({
    client_id: clientId,
    scope: request.scopes.join(','),
    redirect_uri: request.redirectUri,
    state: request.state,
  }).toString();
  return url.href;
}

/** True when the store signed this query with the client secret (shopify.dev "Validate the callback"). A name that stands twice is refused. */
export function isSignedQuery(query: URLSearchParams, clientSecret: string): boolean {
  const names = [...query.keys()];
  const given = query.get('hmac') ?? '';
  if (clientSecret === '' || !HMAC.test(given) || new Set(names).size !== names.length) return false;
  const signed = new URLSearchParams(query);
  signed.delete('hmac');
  signed.sort();
  const expected = createHmac('sha256', clientSecret).update(signed.toString()).digest();
  return timingSafeEqual(expected, Buffer.from(given, 'hex'));
}

/** Exchanges the code of the callback for an expiring offline token. Throws `auth` for a refused code, and `transient`. */
export async function exchangeCode(target: InstallTarget, code: string): Promise<TokenGrant> {
  const { shop, endpoint, clientId, clientSecret } = target;
  const base = resolveEndpoint(shop, endpoint);
  return codeGrant({ base, clientId, clientSecret, timeoutMs: REQUEST_MS }, code);
}

/** The scopes that write-back of these settings needs. Write scopes include the read scopes. */
export function scopesFor({
  locales,
  fields,
}: {
  readonly locales: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
}): readonly string[] {
  return [
    'read_products',
    'write_products',
    ...(locales.length === 0 ? [] : ['read_locales', 'read_translations', 'write_translations']),
    ...(Object.values(fields).includes(IMAGE_ALTS) ? ['write_files'] : []),
  ];
}

/** The scopes that are wanted and not granted. A write scope includes the read scope. */
export function missingScopes(granted: readonly string[], wanted: readonly string[]): string[] {
  const held = new Set(granted);
  return wanted.filter((scope) => !held.has(scope) && !held.has(scope.replace(/^read_/, 'write_')));
}

/** Throws `auth` when the merchant did not grant all of it. */
export function assertGranted(granted: readonly string[], wanted: readonly string[]): void {
  const missing = missingScopes(granted, wanted);
  if (missing.length > 0) throw new CodedError('auth', `the store did not grant ${missing.join(', ')}`);
}
