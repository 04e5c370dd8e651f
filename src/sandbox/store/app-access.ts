import { randomBytes } from 'node:crypto';
import type { Answer } from '../shop-server.js';

export interface AppAccessOptions {
  /** A token that never expires; null: the app has none and exchanges its credentials. */
  readonly accessToken: string | null;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  readonly now: () => Date;
}

/** A request below `/admin/oauth/`, with the fields of its query or its body. */
export interface OauthRequest {
  readonly method: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string | undefined>>;
}

export const NOT_FOUND: Answer = { status: 404, body: { errors: 'Not Found' } };
const DAY_SECONDS = 86_400;

/** Who may call the API: the permanent token, and those that an app gets for its credentials, for a day. */
export class AppAccess {
  private readonly expiries = new Map<string, number>();
  private permanent: string | null;

  constructor(protected readonly options: AppAccessOptions) {
    this.permanent = options.accessToken;
  }

  accepts(token: string): boolean {
    return token === this.permanent || (this.expiries.get(token) ?? 0) > this.options.now().getTime();
  }

  answer({ method, path, fields }: OauthRequest): Answer {
    if (method !== 'POST' || path !== 'access_token') return NOT_FOUND;
    const { client_id: id, client_secret: secret, grant_type: grant = '' } = fields;
    const { clientId, clientSecret } = this.options;
    if (clientId === null || id !== clientId || secret !== clientSecret)
      return refused('invalid_client', 'The client credentials are wrong.');
    return this.granted(grant, fields);
  }

  /** Ends every token, the permanent one as well. */
  end(): void {
    this.expiries.clear();
    this.permanent = null;
  }

  /** The token of an app that has named its credentials. */
  protected granted(grant: string, _fields: OauthRequest['fields']): Answer {
    if (grant !== 'client_credentials')
      return refused('unsupported_grant_type', `${grant || 'nothing'} is not served here.`);
    const scope = this.options.scopes.join(',');
    return {
      status: 200,
      body: { access_token: this.issue(DAY_SECONDS), scope, expires_in: DAY_SECONDS - 1 },
    };
  }

  protected issue(seconds: number): string {
    const token = `shpat_${randomBytes(16).toString('hex')}`;
    this.expiries.set(token, this.options.now().getTime() + seconds * 1000);
    return token;
  }

  protected revoke(token: string): void {
    this.expiries.delete(token);
  }
}

export function refused(error: string, description: string): Answer {
  return { status: 400, body: { error, error_description: description } };
}
