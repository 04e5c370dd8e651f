import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';

export interface AuthorizationOptions {
  readonly shop: string;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  /** The addresses that the app has registered; null: any. */
  readonly redirectUrls: readonly string[] | null;
  readonly now: () => Date;
}

export type AuthorizationAnswer =
  | { readonly kind: 'page'; readonly status: number; readonly html: string }
  | { readonly kind: 'redirect'; readonly location: string };

/** A code that the merchant's consent gave, with what it stands for. */
interface Code {
  readonly scopes: readonly string[];
  readonly until: number;
}

const requestSchema = z.object({
  client_id: z.string(),
  scope: z.string(),
  redirect_uri: z.string(),
  state: z.string().default(''),
});
type ConsentRequest = z.infer<typeof requestSchema>;

const CODE_MS = 60_000;

/** The consent page of the shop, and the codes that it gives. Each code works once and for a minute. */
export class Authorization {
  private readonly codes = new Map<string, Code>();

  constructor(private readonly options: AuthorizationOptions) {}

  /** `GET /admin/oauth/authorize`: the page on which the merchant agrees. */
  ask(query: URLSearchParams): AuthorizationAnswer {
    const request = this.accepted(query);
    if (request === null) return refusal();
    const fields = Object.entries(request).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
    );
    const scopes = request.scope.split(',').map((scope) => `<li>${escaped(scope)}</li>`);
    const html = `<!doctype html><title>Install app</title><h1>Install app in ${escaped(this.options.shop)}</h1>
<ul>${scopes.join('')}</ul><form method="post" action="">${fields.join('')}<button>Install app</button></form>`;
    return { kind: 'page', status: 200, html };
  }

  /** The same address with POST: the merchant agreed, and goes back to the app with a signed query. */
  agree(form: URLSearchParams): AuthorizationAnswer {
    const request = this.accepted(form);
    if (request === null) return refusal();
    const code = randomBytes(16).toString('hex');
    const now = this.options.now().getTime();
    this.codes.set(code, { scopes: request.scope.split(','), until: now + CODE_MS });
    const location = new URL(request.redirect_uri);
    location.search = this.signed({
      code,
      host: Buffer.from(`admin.shopify.com/store/${this.options.shop.split('.')[0] ?? ''}`).toString(
        'base64',
      ),
      shop: this.options.shop,
      state: request.state,
      timestamp: String(Math.floor(now / 1000)),
    });
    return { kind: 'redirect', location: location.href };
  }

  /** The scopes of a code, once; null for a code that is unknown, used or too old. */
  redeem(code: string): readonly string[] | null {
    const found = this.codes.get(code);
    this.codes.delete(code);
    return found !== undefined && found.until > this.options.now().getTime() ? found.scopes : null;
  }

  /** A query as the store signs it, for callbacks and for the app's own address. */
  signed(values: Readonly<Record<string, string>>): string {
    const query = new URLSearchParams(values);
    query.sort();
    const secret = this.options.clientSecret ?? '';
    query.set('hmac', createHmac('sha256', secret).update(query.toString()).digest('hex'));
    return query.toString();
  }

  private accepted(query: URLSearchParams): ConsentRequest | null {
    const { clientId, redirectUrls } = this.options;
    const parsed = requestSchema.safeParse(Object.fromEntries(query));
    if (!parsed.success || clientId === null || parsed.data.client_id !== clientId) return null;
    const { redirect_uri: redirect } = parsed.data;
    if (!URL.canParse(redirect) || redirectUrls?.includes(redirect) === false) return null;
    return parsed.data;
  }
}

function refusal(): AuthorizationAnswer {
  const html =
    '<!doctype html><title>Error</title><p>invalid_request: the client or the redirect_uri is not that of the app</p>';
  return { kind: 'page', status: 400, html };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
