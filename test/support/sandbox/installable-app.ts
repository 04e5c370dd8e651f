import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Answer } from '../../../src/sandbox/shop-server.js';
import {
  AppAccess,
  refused,
  type AppAccessOptions,
  type OauthRequest,
} from '../../../src/sandbox/store/app-access.js';

export interface InstallableAppOptions extends AppAccessOptions {
  readonly shop: string;
  /** The addresses that the app has registered; null: any. */
  readonly redirectUrls: readonly string[] | null;
  /** Life of a token that the merchant's consent gave. */
  readonly offlineLifetimeSeconds: number;
}

/** What a code of the merchant's consent stands for. */
interface Code {
  readonly scopes: readonly string[];
  readonly until: number;
}

interface Refresh extends Code {
  /** The access token that replaced the one of this refresh token: once it is used, this one is void. */
  successor: string | null;
}

const consentSchema = z.object({
  client_id: z.string(),
  scope: z.string(),
  redirect_uri: z.string(),
  state: z.string().default(''),
});
type ConsentRequest = z.infer<typeof consentSchema>;

const CODE_MS = 60_000;
const REFRESH_SECONDS = 90 * 86_400;

/**
 * An app that merchants install: the consent page of the shop, its codes, of which each works once and for a minute, and the one
 * offline token of the consent. A new offline token ends the one before, and its refresh token stays good until the new
 * access token is used.
 */
export class InstallableApp extends AppAccess {
  private readonly codes = new Map<string, Code>();
  private readonly refreshes = new Map<string, Refresh>();
  private offline: string | null = null;

  constructor(protected override readonly options: InstallableAppOptions) {
    super(options);
  }

  override accepts(token: string): boolean {
    const isGood = super.accepts(token);
    if (isGood)
      for (const [refresh, { successor }] of this.refreshes)
        if (successor === token) this.refreshes.delete(refresh);
    return isGood;
  }

  override answer(request: OauthRequest): Answer {
    if (request.path !== 'authorize') return super.answer(request);
    const asked = this.accepted(request.fields);
    if (asked === null) return refusal();
    return request.method === 'POST' ? this.agree(asked) : this.consentPage(asked);
  }

  override end(): void {
    super.end();
    this.refreshes.clear();
    this.offline = null;
  }

  /** A query as the store signs it, for callbacks and for the app's own address. */
  signed(values: Readonly<Record<string, string>>): string {
    const query = new URLSearchParams(values);
    query.sort();
    const secret = this.options.clientSecret ?? '';
    query.set('hmac', createHmac('sha256', secret).update(query.toString()).digest('hex'));
    return query.toString();
  }

  protected override granted(grant: string, fields: OauthRequest['fields']): Answer {
    if (grant === 'refresh_token') return this.forRefresh(fields['refresh_token'] ?? '');
    const { code } = fields;
    if (grant !== '' || code === undefined) return super.granted(grant, fields);
    const scopes = this.redeemed(code);
    if (scopes === null)
      return refused('invalid_request', 'The authorization code was not found or was already used.');
    return fields['expiring'] === '1' ? this.forConsent(scopes) : this.permanentFor(scopes);
  }

  private consentPage(request: ConsentRequest): Answer {
    const fields = Object.entries(request).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
    );
    const scopes = request.scope.split(',').map((scope) => `<li>${escaped(scope)}</li>`);
    return html(
      200,
      `<title>Install app</title><h1>Install app in ${escaped(this.options.shop)}</h1>
<ul>${scopes.join('')}</ul><form method="post" action="">${fields.join('')}<button>Install app</button></form>`,
    );
  }

  /** The merchant goes back to the app with a signed query. */
  private agree(request: ConsentRequest): Answer {
    const { shop, now } = this.options;
    const code = randomBytes(16).toString('hex');
    const at = now().getTime();
    this.codes.set(code, { scopes: request.scope.split(','), until: at + CODE_MS });
    const host = `admin.shopify.com/store/${shop.split('.')[0] ?? ''}`;
    const location = new URL(request.redirect_uri);
    location.search = this.signed({
      code,
      host: Buffer.from(host).toString('base64'),
      shop,
      state: request.state,
      timestamp: String(Math.floor(at / 1000)),
    });
    return { status: 302, body: '', headers: { location: location.href } };
  }

  /** The scopes of a code, once; null for a code that is unknown, used or too old. */
  private redeemed(code: string): readonly string[] | null {
    const found = this.codes.get(code);
    this.codes.delete(code);
    return found !== undefined && found.until > this.options.now().getTime() ? found.scopes : null;
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
    if (this.offline !== null) this.revoke(this.offline);
    const token = this.issue(offlineLifetimeSeconds);
    this.offline = token;
    const refresh = `shprt_${randomBytes(16).toString('hex')}`;
    this.refreshes.set(refresh, { scopes, until: now().getTime() + REFRESH_SECONDS * 1000, successor: null });
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
    return { status: 200, body: { access_token: this.issue(Infinity), scope: scopes.join(',') } };
  }

  private accepted(fields: OauthRequest['fields']): ConsentRequest | null {
    const { clientId, redirectUrls } = this.options;
    const parsed = consentSchema.safeParse(fields);
    if (!parsed.success || clientId === null || parsed.data.client_id !== clientId) return null;
    const { redirect_uri: redirect } = parsed.data;
    if (!URL.canParse(redirect) || redirectUrls?.includes(redirect) === false) return null;
    return parsed.data;
  }
}

function refusal(): Answer {
  return html(
    400,
    '<title>Error</title><p>invalid_request: the client or the redirect_uri is not that of the app</p>',
  );
}

function html(status: number, content: string): Answer {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  return { status, body: `<!doctype html>${content}`, headers };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
