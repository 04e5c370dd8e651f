import { z } from 'zod';
import type { Keys } from './keys.js';
import { refusedAccess } from './keys.js';
import { fields, listEntries, listPosts } from './listing.js';
import { invalidId, RestError } from './model.js';
import type { Post } from './model.js';
import type { Shop } from './shop.js';
import { narrowed, postView, termView } from './views.js';
import type { Context } from './views.js';
import type { Webhooks } from './webhooks.js';
import type { Writes } from './writes.js';

export interface Call {
  readonly method: string;
  /** Below `/wp-json/`, without slashes at its ends. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly body: object;
}

export interface Reply {
  readonly status: number;
  /** A text is a page of HTML. */
  readonly body: object | string;
  /** Of a list. */
  readonly total?: number;
  readonly pages?: number;
  /** Besides those of each answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RouteParts {
  readonly shop: Shop;
  readonly keys: Keys;
  readonly writes: Writes;
  readonly webhooks: Webhooks;
  readonly about: { readonly version: string; readonly plugins: readonly string[] };
}

/** One request to a route, with the number of its path. */
interface Asked {
  readonly id: number;
  readonly body: object;
  /** Its parameters, without those of the signature. */
  readonly query: Readonly<Record<string, string>>;
}

const VERSION_OF_VARIATIONS = 10.3;
const OneProduct = z.strictObject({
  context: z.enum(['view', 'edit']).default('view'),
  _fields: fields.optional(),
});
const Fields = z.strictObject({ _fields: fields.optional() });
/** A delete without it would go to the trash, or be refused for a webhook. */
const Forced = z.strictObject({ force: z.literal('true') });

/** The routes of the REST API that a connector uses. Any other answers `rest_no_route`, as the shop does. */
export class Routes {
  private readonly table: Record<string, (asked: Asked) => Reply | Promise<Reply>>;

  constructor(private readonly parts: RouteParts) {
    const { shop, writes, webhooks } = parts;
    const ok = (body: object): Reply => ({ status: 200, body });
    this.table = {
      'GET products': ({ query }) => listPosts(shop, query, 'products'),
      'POST products': ({ body, query }) => this.shown(writes.create(body), query, 'edit', 201),
      'GET products/#': ({ id, query }) => this.shown(this.post(id), query),
      // A write answers what is kept, whatever the context that was asked for.
      'PUT products/#': ({ id, body, query }) => this.shown(writes.update(id, body), query, 'edit'),
      'DELETE products/#': ({ id, query }) => {
        Forced.parse(query);
        return this.shown(writes.remove(id), {});
      },
      'GET products/#/variations': ({ id, query }) => listPosts(shop, query, { parent: this.post(id).id }),
      'GET products/categories': ({ query }) => listEntries(shop.terms('categories').map(termView), query),
      'GET webhooks': ({ query }) => listEntries(webhooks.all(), query),
      'POST webhooks': async ({ body }) => ({ status: 201, body: await webhooks.create(body) }),
      'PUT webhooks/#': ({ id, body }) => ok(webhooks.update(id, body)),
      'DELETE webhooks/#': ({ id, query }) => {
        Forced.parse(query);
        return ok(webhooks.remove(id));
      },
      'GET settings/products/woocommerce_weight_unit': () =>
        ok({ id: 'woocommerce_weight_unit', value: 'kg' }),
      'GET system_status': ({ query }) => ok(narrowed(this.systemStatus(), Fields.parse(query)._fields)),
    };
    if (parseFloat(parts.about.version) >= VERSION_OF_VARIATIONS)
      this.table['GET variations'] = ({ query }) => listPosts(shop, query, { parent: null });
  }

  async answer({ method, path, parameters, body }: Call): Promise<Reply> {
    const query = Object.fromEntries([...parameters].filter(([name]) => !name.startsWith('oauth_')));
    if (path === '') return { status: 200, body: narrowed(this.index(), Fields.parse(query)._fields) };
    const route = /^wc\/v3\/(.+)$/.exec(path)?.[1] ?? '';
    const handler = this.table[`${method} ${route.replaceAll(/\b\d+\b/g, '#')}`];
    if (!handler)
      throw new RestError(404, 'rest_no_route', 'No route was found matching the URL and request method.');
    const isKnown = this.parts.keys.isSigned({ method, path: `/wp-json/${path}`, query: parameters });
    if (!isKnown) throw refusedAccess(method === 'GET' ? 'view' : 'edit');
    return handler({ id: Number(/\b\d+\b/.exec(route)?.[0]), body, query });
  }

  private shown(post: Post, query: object, answered?: Context, status = 200): Reply {
    const { context, _fields: named } = OneProduct.parse(query);
    return { status, body: narrowed(postView(this.parts.shop, post, answered ?? context), named) };
  }

  private post(id: number): Post {
    const post = this.parts.shop.post(id);
    if (!post) throw invalidId(404);
    return post;
  }

  private index(): object {
    const { homeUrl } = this.parts.shop;
    return { name: 'Sandbox shop', url: homeUrl, home: homeUrl, namespaces: ['wc/v3'] };
  }

  private systemStatus(): object {
    const { shop, about } = this.parts;
    return {
      environment: {
        home_url: shop.homeUrl,
        ...(shop.storeId === null ? {} : { store_id: shop.storeId }),
        version: about.version,
        wp_version: '6.9.7',
      },
      active_plugins: about.plugins.map((plugin) => ({ plugin })),
    };
  }
}
