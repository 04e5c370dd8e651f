import { randomBytes } from 'node:crypto';
import { z } from 'zod';

export interface AccessTokenOptions {
  /** A token that never expires; absent: the app has none and exchanges its credentials. */
  readonly accessToken: string | null;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  /** Of a token that the merchant's consent gave. */
  readonly offlineLifetimeSeconds: number;
  readonly scopes: readonly string[];
  readonly now: () => Date;
  /** The scopes of a code of the consent page, once; null for a wrong one. */
  readonly redeem: (code: string) => readonly string[] | null;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

interface Refresh {
  readonly scopes: readonly string[];
  readonly until: number;
  /** The access token that replaced the one of this refresh token: once it is used, this one is void. */
  successor: string | null;
}

const GrantRequest = z.object({
  client_id: z.string(),
  client_secret: z.string(),
  grant_type: z.string().optional(),
  code: z.string().optional(),
  expiring: z.string().optional(),
  refresh_token: z.string().optional(),
});

const DAY_SECONDS = 86_400;
const REFRESH_SECONDS = 90 * DAY_SECONDS;

/**
 * The valid tokens: the permanent one, unexpired ones of the client credentials grant, and the one offline token of a merchant's
 * consent. A new offline token ends the one before, and its refresh token stays good until the new access token is used.
 */
export class AccessTokens {
  private readonly expiries = new Map<string, number>();
  private readonly refreshes = new Map<string, Refresh>();
  private offline: string | null = null;
  private permanent: string | null;

  constructor(private readonly options: AccessTokenOptions) {
    this.permanent = options.accessToken;
  }

  accepts(token: string | undefined): boolean {
    if (token === undefined) return false;
    const isGood = token === this.permanent || (this.expiries.get(token) ?? 0) > this.options.now().getTime();
    if (isGood)
      for (const [refresh, { successor }] of this.refreshes)
        if (successor === token) this.refreshes.delete(refresh);
    return isGood;
  }

  /** The answer of `POST /admin/oauth/access_token`. */
  grant(form: unknown): Answer {
    const request = GrantRequest.safeParse(form);
    if (!request.success) return refused('invalid_request', 'A required parameter is missing.');
    const {
      client_id: id,
      client_secret: secret,
      grant_type: grant,
      code,
      refresh_token: token,
    } = request.data;
    const { clientId, clientSecret, redeem } = this.options;
    if (clientId === null || id !== clientId || secret !== clientSecret) {
      return refused('invalid_client', 'The client credentials are wrong.');
    }
    if (grant === 'client_credentials') return this.forCredentials();
    if (grant === 'refresh_token') return this.forRefresh(token ?? '');
    if (grant !== undefined || code === undefined)
      return refused('unsupported_grant_type', `${grant ?? 'nothing'} is not served here.`);
    const scopes = redeem(code);
    if (scopes === null)
      return refused('invalid_request', 'The authorization code was not found or was already used.');
    return request.data.expiring === '1' ? this.forConsent(scopes) : this.permanentFor(scopes);
  }

  /** Ends every token, the permanent one as well. */
  revoke(): void {
    this.expiries.clear();
    this.refreshes.clear();
    this.offline = null;
    this.permanent = null;
  }

  private forCredentials(): Answer {
    const token = this.issue(DAY_SECONDS);
    return {
      status: 200,
      body: { access_token: token, scope: this.options.scopes.join(','), expires_in: DAY_SECONDS - 1 },
    };
  }

  private forRefresh(token: string): Answer {
    const known = this.refreshes.get(token);
    if (known === undefined || known.until <= this.options.now().getTime())
      return refused('invalid_grant', 'The refresh token is expired or was used.');
    const answer = this.forConsent(known.scopes);
    known.successor = this.offline;
    return answer;
  }

  private forConsent(scopes: readonly string[]): Answer {
    const { offlineLifetimeSeconds, now } = this.options;
    if (this.offline !== null) this.expiries.delete(this.offline);
    const token = this.issue(offlineLifetimeSeconds);
    this.offline = token;
    const refresh = `shprt_${randomBytes(16).toString('hex')}`;
    const until = now().getTime() + REFRESH_SECONDS * 1000;
    this.refreshes.set(refresh, { scopes, until, successor: null });
    return {
      status: 200,
      body: {
        access_token: token,
        scope: scopes.join(','),
        expires_in: offlineLifetimeSeconds,
        refresh_token: refresh,
        refresh_token_expires_in: REFRESH_SECONDS,
      },
    };
  }

  /** Without `expiring=1` the token never expires. The store refuses it to apps that are public. */
  private permanentFor(scopes: readonly string[]): Answer {
    const token = `shpat_${randomBytes(16).toString('hex')}`;
    this.expiries.set(token, Infinity);
    return { status: 200, body: { access_token: token, scope: scopes.join(',') } };
  }

  private issue(seconds: number): string {
    const token = `shpat_${randomBytes(16).toString('hex')}`;
    this.expiries.set(token, this.options.now().getTime() + seconds * 1000);
    return token;
  }
}

function refused(error: string, description: string): Answer {
  return { status: 400, body: { error, error_description: description } };
}
