import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import type { Redactor } from './redaction.js';
import { readSession, type Session } from './session-tokens.js';

export interface CatalogAuth {
  readonly apiToken?: string;
  readonly email?: string;
  readonly password?: string;
}

export interface Bearer {
  readonly token: string;
  readonly kind: 'api' | 'session';
}

export interface SessionInfo {
  readonly accessExpiresAt: Date;
  readonly refreshExpiresAt: Date;
}

/** The two calls that return tokens, without the bearer header of other calls. Each resolves to the parsed response. */
export interface TokenCalls {
  login(email: string, password: string): Promise<unknown>;
  refresh(refreshToken: string, bearer: string): Promise<unknown>;
}

/** A refused password is not tried again for this long, because services lock accounts after several failures. */
const LOGIN_REFUSAL_MS = 60_000;
/** After a failed early renewal, the valid token is used this long before the next attempt. */
const RENEWAL_PAUSE_MS = 30_000;

/**
 * Provides bearer tokens (docs/catalog-rules.md#authentication): the API token, or the access token of a login. The
 * latter is renewed before its expiry and after a 401. Concurrent requests share one renewal. A failed refresh is
 * followed by a login. Throws `auth` when the login is refused or there is none, never with a password or token in
 * it.
 */
export class TokenProvider {
  private session: Session | undefined;
  private rejectedAccess: string | undefined;
  private renewal: Promise<Session> | undefined;
  private refusal: { readonly error: CodedError; readonly untilMs: number } | undefined;
  private renewNotBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly auth: CatalogAuth,
    private readonly calls: TokenCalls,
    private readonly clock: () => Date,
    private readonly redactor: Redactor,
  ) {
    if (!hasText(auth.apiToken) && !this.hasLogin) {
      throw new CodedError('misconfigured', 'catalog auth needs an apiToken, or email and password');
    }
  }

  get hasLogin(): boolean {
    return hasText(this.auth.email) && hasText(this.auth.password);
  }

  /** The token to send: the API token if there is one, unless the session's token is requested. */
  async bearer(preferSession: boolean): Promise<Bearer> {
    const { apiToken } = this.auth;
    if (hasText(apiToken) && !(preferSession && this.hasLogin)) return { token: apiToken, kind: 'api' };
    return { token: (await this.currentSession()).access, kind: 'session' };
  }

  /**
   * Reports that a session token got 401. The next `bearer` returns another one. A token that was already replaced is
   * ignored.
   */
  reject(token: string): void {
    if (this.session?.access === token) this.rejectedAccess = token;
  }

  /** Reports that a freshly renewed token got 401 as well: refreshing it again would not help. */
  discard(token: string): void {
    if (this.session?.access === token) this.session = undefined;
  }

  /** Logs in again, whatever tokens exist (docs/catalog-rules.md#post-login). */
  async login(): Promise<SessionInfo> {
    this.refusal = undefined;
    return sessionInfo(await this.renewOnce(() => this.logIn()));
  }

  /**
   * Exchanges the refresh token for a new access token (docs/catalog-rules.md#post-refresh), or logs in without one.
   */
  async refresh(): Promise<SessionInfo> {
    return sessionInfo(await this.renewOnce(() => this.renew()));
  }

  private async currentSession(): Promise<Session> {
    const { session } = this;
    const nowMs = this.clock().getTime();
    if (session === undefined || session.access === this.rejectedAccess)
      return this.renewOnce(() => this.renew());
    const holds = nowMs < session.accessExpiresAtMs;
    if (holds && (nowMs < session.renewAtMs || nowMs < this.renewNotBeforeMs)) return session;
    try {
      return await this.renewOnce(() => this.renew());
    } catch (error) {
      if (!holds || !isCoded(error, 'transient', 'throttled')) throw error;
      this.renewNotBeforeMs = nowMs + RENEWAL_PAUSE_MS;
      return session;
    }
  }

  private renewOnce(renew: () => Promise<Session>): Promise<Session> {
    this.renewal ??= renew()
      .then((session) => this.keep(session))
      .finally(() => {
        this.renewal = undefined;
      });
    return this.renewal;
  }

  private keep(session: Session): Session {
    this.session = session;
    this.redactor.add(session.access, session.refresh ?? undefined);
    return session;
  }

  private async renew(): Promise<Session> {
    const { session } = this;
    if (session?.refresh != null && this.clock().getTime() < session.refreshExpiresAtMs) {
      try {
        const answer = await this.calls.refresh(session.refresh, session.access);
        const renewed = readSession(answer, this.clock().getTime(), session);
        // An unreadable response, or one with the refused token, counts as no token: the login follows.
        if (renewed !== undefined && renewed.access !== this.rejectedAccess) return renewed;
      } catch (error) {
        // If the refresh fails for another reason, the login may still work, and its own error says more.
        if (!isCoded(error) || error.code === 'throttled') throw error;
      }
    }
    return this.logIn();
  }

  private async logIn(): Promise<Session> {
    const { email, password } = this.auth;
    if (!hasText(email) || !hasText(password)) {
      throw new CodedError('misconfigured', 'catalog auth has no email and password to log in with');
    }
    const { refusal } = this;
    if (refusal !== undefined && this.clock().getTime() < refusal.untilMs) throw refusal.error;
    try {
      const session = readSession(await this.calls.login(email, password), this.clock().getTime());
      if (session !== undefined) return session;
    } catch (error) {
      // A 404 or 409 of the login must not be taken for one of the request that waits for the token.
      if (!isCoded(error, 'auth', 'invalid', 'not_found', 'conflict')) throw error;
      const refused = new CodedError('auth', `catalog refused the login: ${errorLine(error)}`, {
        status: error.status,
        cause: error,
      });
      this.refusal = { error: refused, untilMs: this.clock().getTime() + LOGIN_REFUSAL_MS };
      throw refused;
    }
    throw new CodedError('transient', 'catalog answered the login without an access token');
  }
}

function hasText(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function sessionInfo(session: Session): SessionInfo {
  return {
    accessExpiresAt: new Date(session.accessExpiresAtMs),
    refreshExpiresAt: new Date(session.refreshExpiresAtMs),
  };
}
