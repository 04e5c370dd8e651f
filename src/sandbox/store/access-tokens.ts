import { randomBytes } from 'node:crypto';
import { z } from 'zod';

export interface AccessTokenOptions {
  /** A token that never expires; absent: the app has none and exchanges its credentials. */
  readonly accessToken: string | null;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly lifetimeSeconds: number;
  readonly scopes: readonly string[];
  readonly now: () => Date;
}

const GrantRequest = z.object({ client_id: z.string(), client_secret: z.string(), grant_type: z.string() });

/** The valid tokens: the permanent one, and unexpired ones of the client credentials grant. */
export class AccessTokens {
  private readonly expiries = new Map<string, number>();
  private permanent: string | null;

  constructor(private readonly options: AccessTokenOptions) {
    this.permanent = options.accessToken;
  }

  accepts(token: string | undefined): boolean {
    if (token === undefined) return false;
    return token === this.permanent || (this.expiries.get(token) ?? 0) > this.options.now().getTime();
  }

  /** The answer of `POST /admin/oauth/access_token`. */
  grant(form: unknown): { status: number; body: object } {
    const request = GrantRequest.safeParse(form);
    const refused = (error: string, description: string): { status: number; body: object } => {
      return { status: 400, body: { error, error_description: description } };
    };
    if (!request.success) return refused('invalid_request', 'A required parameter is missing.');
    const { client_id: id, client_secret: secret, grant_type: grant } = request.data;
    if (grant !== 'client_credentials')
      return refused('unsupported_grant_type', `${grant} is not served here.`);
    const { clientId, clientSecret, lifetimeSeconds, scopes, now } = this.options;
    if (clientId === null || id !== clientId || secret !== clientSecret) {
      return refused('invalid_client', 'The client credentials are wrong.');
    }
    const token = `shpat_${randomBytes(16).toString('hex')}`;
    this.expiries.set(token, now().getTime() + lifetimeSeconds * 1000);
    return {
      status: 200,
      body: { access_token: token, scope: scopes.join(','), expires_in: lifetimeSeconds - 1 },
    };
  }

  /** Ends every token that was given out; with `permanent`, that one as well. */
  revoke({ permanent }: { readonly permanent: boolean }): void {
    this.expiries.clear();
    if (permanent) this.permanent = null;
  }
}
