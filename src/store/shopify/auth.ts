import { z } from 'zod';
import { CodedError } from '../../domain/errors.js';
import { pathBelow } from './endpoint.js';

export type EndpointAuth =
  { readonly accessToken: string } | { readonly clientId: string; readonly clientSecret: string };

/** The source of access tokens. */
export interface TokenSource {
  /**
   * A valid token. Throws `auth`, `throttled`, `misconfigured` or `transient` when there is none; no request was sent
   * to the API then.
   */
  token(): Promise<string>;
  /** Reports that the API refused this token. True when another token may be available. */
  refused(token: string): boolean;
  /** The secrets held at this moment, for redaction. */
  secrets(): readonly string[];
}

interface TokenRequest {
  readonly base: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly timeoutMs: number;
  readonly now: () => number;
}

/** Renews a token this long before it expires, so that it does not expire during a request. */
const RENEW_BEFORE_MS = 300_000;

const answerSchema = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const refusalSchema = z.object({ error: z.string().regex(/^[a-z_]{1,64}$/) });

export function tokenSource(
  auth: EndpointAuth,
  base: URL,
  now: () => number,
  timeoutMs: number,
): TokenSource {
  if ('accessToken' in auth) {
    if (auth.accessToken === '')
      throw new CodedError('misconfigured', 'the access token of the store is empty');
    return new FixedToken(auth.accessToken);
  }
  if (auth.clientId === '' || auth.clientSecret === '') {
    throw new CodedError('misconfigured', 'clientId and clientSecret of the store must not be empty');
  }
  return new ClientCredentials({ base, now, timeoutMs, ...auth });
}

class FixedToken implements TokenSource {
  constructor(private readonly value: string) {}

  token(): Promise<string> {
    return Promise.resolve(this.value);
  }

  refused(): boolean {
    return false;
  }

  secrets(): readonly string[] {
    return [this.value];
  }
}

/**
 * Client credentials grant: a token for about a day, for an app of the store's own organisation (shopify.dev "Using
 * the client credentials grant"). Concurrent calls share one request.
 */
class ClientCredentials implements TokenSource {
  private current: { readonly token: string; readonly renewAt: number } | null = null;
  private pending: Promise<string> | null = null;

  constructor(private readonly request: TokenRequest) {}

  async token(): Promise<string> {
    if (this.current !== null && this.request.now() < this.current.renewAt) return this.current.token;
    this.pending ??= this.fetchToken().finally(() => {
      this.pending = null;
    });
    return this.pending;
  }

  refused(token: string): boolean {
    // Another call may have renewed it already; keep the newer token.
    if (this.current?.token === token) this.current = null;
    return true;
  }

  secrets(): readonly string[] {
    const { clientSecret } = this.request;
    return this.current === null ? [clientSecret] : [clientSecret, this.current.token];
  }

  private async fetchToken(): Promise<string> {
    const askedAt = this.request.now();
    const response = await requestToken(this.request);
    const body = await response.json().catch((cause: unknown) => {
      throw new CodedError(
        'transient',
        'the token endpoint of the store answered with something that is not JSON',
        {
          cause,
          status: response.status,
        },
      );
    });
    if (!response.ok) throw tokenRefusal(response, body);
    const parsed = answerSchema.safeParse(body);
    if (!parsed.success)
      throw new CodedError('transient', 'the token endpoint of the store answered without a token');
    const lifetimeMs = parsed.data.expires_in * 1000;
    const renewAt = askedAt + lifetimeMs - Math.min(RENEW_BEFORE_MS, lifetimeMs / 10);
    this.current = { token: parsed.data.access_token, renewAt };
    return parsed.data.access_token;
  }
}

async function requestToken(request: TokenRequest): Promise<Response> {
  const url = new URL(pathBelow(request.base, '/admin/oauth/access_token'), request.base);
  const { clientId, clientSecret } = request;
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }),
      // A redirect would send the secret to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(request.timeoutMs),
    });
  } catch (cause) {
    throw new CodedError('transient', 'the token endpoint of the store could not be reached', { cause });
  }
}

function tokenRefusal(response: Response, body: unknown): CodedError {
  const { status } = response;
  if (status === 429)
    return new CodedError('throttled', 'the token endpoint of the store asks to slow down', { status });
  if (status >= 500 || status === 408) {
    return new CodedError('transient', `the token endpoint of the store answered ${String(status)}`, {
      status,
    });
  }
  const named = refusalSchema.safeParse(body);
  const reason = named.success ? ` (${named.data.error})` : '';
  return new CodedError(
    'auth',
    `the store refused the client credentials${reason}: check clientId and clientSecret, and the app’s installation`,
    { status },
  );
}
