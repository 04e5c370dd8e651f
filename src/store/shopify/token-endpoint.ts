import { z } from 'zod';
import { MAX_SHORT_ANSWER_BYTES } from '../../domain/answer-bounds.js';
import { CodedError } from '../../domain/errors.js';
import { readUntrustedJson } from '../../runtime/untrusted-json.js';
import { type OutgoingAnswer, sendOutgoing } from '../../runtime/outgoing-http.js';
import { pathBelow } from './endpoint.js';

/** The app's credentials at the token endpoint of one shop. */
export interface TokenEndpoint {
  readonly base: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly timeoutMs: number;
}

/** An answer of the token endpoint. Lifetimes are in milliseconds; null: unknown, or the token does not expire. */
export interface TokenGrant {
  readonly accessToken: string;
  readonly scopes: readonly string[];
  readonly lifetimeMs: number | null;
  readonly refreshToken: string | null;
}

const answerSchema = z.object({
  access_token: z.string().min(1),
  scope: z.string().default(''),
  expires_in: z.number().positive().nullish(),
  refresh_token: z.string().min(1).nullish(),
});
/** What a request offers to the token endpoint, and what helps when it is refused. */
interface Offered {
  readonly what: string;
  readonly action: string;
}

const CREDENTIALS: Offered = {
  what: 'the client ID or secret',
  action: 'check clientId and clientSecret, and that the app is installed',
};
const CODE: Offered = { what: 'the code of the consent page', action: 'begin the installation again' };
const REFRESH_TOKEN: Offered = {
  what: 'the refresh token, which has ended or was revoked',
  action: 'the merchant has to install the app again',
};

/** Refusals that are about the client, whatever else is offered (RFC 6749, section 5.2). */
const ABOUT_THE_CLIENT: ReadonlySet<string> = new Set([
  'invalid_client',
  'unauthorized_client',
  'application_cannot_be_found',
]);

const refusalSchema = z.object({ error: z.string().regex(/^[a-z_]{1,64}$/) });

/** A token for about a day, for an app of the store's own organization (shopify.dev "Using the client credentials grant"). */
export function credentialsGrant(endpoint: TokenEndpoint): Promise<TokenGrant> {
  return granted(endpoint, { grant_type: 'client_credentials' }, CREDENTIALS);
}

/** The code of the consent page, for a token of an hour and its refresh token (shopify.dev "authorization code grant"). */
export function codeGrant(endpoint: TokenEndpoint, code: string): Promise<TokenGrant> {
  return granted(endpoint, { code, expiring: '1' }, CODE);
}

/**
 * A new pair. An answer without a new refresh token keeps the old one (RFC 6749, section 6). Shopify takes the old refresh token again until the new access token is used, so that a lost
 * answer costs nothing.
 */
export async function refreshGrant(endpoint: TokenEndpoint, refreshToken: string): Promise<TokenGrant> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const grant = await granted(endpoint, form, REFRESH_TOKEN);
  return { ...grant, refreshToken: grant.refreshToken ?? refreshToken };
}

/** Throws `auth` for a refusal, `throttled`, or `transient`. */
async function granted(
  endpoint: TokenEndpoint,
  form: Readonly<Record<string, string>>,
  offered: Offered,
): Promise<TokenGrant> {
  const { status, body, cut } = await requestToken(endpoint, form);
  const json = cut ? ({ ok: false } as const) : readUntrustedJson(body);
  if (!json.ok) {
    throw new CodedError(
      'transient',
      'the token endpoint of the store answered with something that is not JSON',
      { status },
    );
  }
  if (status < 200 || status > 299) throw tokenRefusal(status, json.value, offered);
  const parsed = answerSchema.safeParse(json.value);
  if (!parsed.success)
    throw new CodedError('transient', 'the token endpoint of the store answered without a token');
  const { access_token: accessToken, scope, expires_in: seconds, refresh_token: refreshToken } = parsed.data;
  return {
    accessToken,
    scopes: scope.split(',').filter((name) => name !== ''),
    lifetimeMs: seconds == null ? null : seconds * 1000,
    refreshToken: refreshToken ?? null,
  };
}

async function requestToken(
  { base, clientId, clientSecret, timeoutMs }: TokenEndpoint,
  form: Readonly<Record<string, string>>,
): Promise<OutgoingAnswer> {
  const fields = { client_id: clientId, client_secret: clientSecret, ...form };
  try {
    return await sendOutgoing({
      method: 'POST',
      url: new URL(pathBelow(base, '/admin/oauth/access_token'), base),
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8',
      },
      body: new URLSearchParams(fields).toString(),
      timeoutMs,
      maxBytes: MAX_SHORT_ANSWER_BYTES,
    });
  } catch (cause) {
    throw new CodedError('transient', 'the token endpoint of the store could not be reached', { cause });
  }
}

/** What a status of the endpoint says about the shop itself. */
const CLOSED: Readonly<Partial<Record<number, string>>> = {
  402: 'the shop is frozen until its owner has paid',
  404: 'there is no such shop: check shop and endpoint',
  423: 'the shop is locked; its owner has to contact the store’s support',
};

function tokenRefusal(status: number, body: unknown, offered: Offered): CodedError {
  if (status === 429)
    return new CodedError('throttled', 'the token endpoint of the store asks to slow down', { status });
  // A redirect is an answer of something before the endpoint.
  if (status >= 500 || status === 408 || status < 400) {
    return new CodedError('transient', `the token endpoint of the store answered ${String(status)}`, {
      status,
    });
  }
  const closed = CLOSED[status];
  if (closed !== undefined) return new CodedError('unavailable', closed, { status });
  const named = refusalSchema.safeParse(body);
  const { what, action } = named.success && ABOUT_THE_CLIENT.has(named.data.error) ? CREDENTIALS : offered;
  const reason = named.success ? ` (${named.data.error})` : '';
  return new CodedError('auth', `the store refused ${what}${reason}: ${action}`, { status });
}
