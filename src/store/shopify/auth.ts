import { CodedError } from '../../domain/errors.js';
import { credentialsGrant, refreshGrant, type TokenEndpoint, type TokenGrant } from './token-endpoint.js';

export type EndpointAuth =
  | { readonly accessToken: string }
  | { readonly clientId: string; readonly clientSecret: string; readonly kept?: KeptTokens | undefined };

/** The tokens of a merchant's installation, kept outside of this process. */
export interface KeptTokens {
  /** Null when the merchant uninstalled the app. */
  read(): Promise<KeptToken | null>;
  /**
   * The token that follows `expired`: the one that another process has got meanwhile, or the result of `renew`, which is then kept.
   * Null when the app was uninstalled. Throws what `renew` throws.
   */
  renewed(expired: string, renew: (refreshToken: string) => Promise<TokenGrant>): Promise<KeptToken | null>;
}

export interface KeptToken {
  readonly accessToken: string;
  /** Milliseconds since the epoch; null for a token that does not expire. */
  readonly until: number | null;
}

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

/** Renews a token this long before it expires, so that it does not expire during a request. */
const RENEW_BEFORE_MS = 300_000;

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
  const { clientId, clientSecret, kept } = auth;
  if (clientId === '' || clientSecret === '') {
    throw new CodedError('misconfigured', 'clientId and clientSecret of the store must not be empty');
  }
  const endpoint = { base, timeoutMs, clientId, clientSecret };
  const next = kept === undefined ? credentialsTokens(endpoint, now) : keptTokens(endpoint, kept, now);
  return new RenewedToken(clientSecret, next, now);
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

interface Token {
  readonly value: string;
  /** Milliseconds since the epoch; Infinity for a token that does not expire, or of unknown life. */
  readonly renewAt: number;
}

/** The next token. `refused` is one that the API did not take, also when its time is not over. */
type NextToken = (refused: string | null) => Promise<Token>;

/** A token that is replaced before it expires, and when the API refuses it. Concurrent calls share one request. */
class RenewedToken implements TokenSource {
  private current: Token | null = null;
  private lastRefused: string | null = null;
  private pending: Promise<string> | null = null;

  constructor(
    private readonly clientSecret: string,
    private readonly next: NextToken,
    private readonly now: () => number,
  ) {}

  async token(): Promise<string> {
    if (this.current !== null && this.now() < this.current.renewAt) return this.current.value;
    this.pending ??= this.#renew().finally(() => {
      this.pending = null;
    });
    return this.pending;
  }

  refused(token: string): boolean {
    this.lastRefused = token;
    // Another call may have renewed it already; keep the newer token.
    if (this.current?.value === token) this.current = null;
    return true;
  }

  secrets(): readonly string[] {
    return this.current === null ? [this.clientSecret] : [this.clientSecret, this.current.value];
  }

  async #renew(): Promise<string> {
    this.current = await this.next(this.lastRefused);
    return this.current.value;
  }
}

function credentialsTokens(endpoint: TokenEndpoint, now: () => number): NextToken {
  return async () => {
    const askedAt = now();
    const { accessToken, lifetimeMs } = await credentialsGrant(endpoint);
    // Without an expiry it is used until the API refuses it.
    const renewAt = lifetimeMs === null ? Infinity : renewalOf(askedAt + lifetimeMs, lifetimeMs);
    return { value: accessToken, renewAt };
  };
}

/** The expiring offline token of an installation. Every process reads the same one, and one of them renews it. */
function keptTokens(endpoint: TokenEndpoint, kept: KeptTokens, now: () => number): NextToken {
  const usable = ({ accessToken, until }: KeptToken): Token => ({
    value: accessToken,
    renewAt: until === null ? Infinity : renewalOf(until, until - now()),
  });
  return async (refused) => {
    const found = await kept.read();
    if (found === null) throw uninstalled();
    const token = usable(found);
    if (token.value !== refused && now() < token.renewAt) return token;
    const renewed = await kept.renewed(token.value, (refresh) => refreshGrant(endpoint, refresh));
    if (renewed === null) throw uninstalled();
    return usable(renewed);
  };
}

function renewalOf(until: number, lifetimeMs: number): number {
  return until - Math.min(RENEW_BEFORE_MS, Math.max(0, lifetimeMs / 10));
}

function uninstalled(): CodedError {
  return new CodedError('auth', 'the merchant uninstalled the app: it has to be installed again');
}
