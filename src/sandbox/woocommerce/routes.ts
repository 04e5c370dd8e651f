import { z } from 'zod';
import type { Keys } from './keys.js';
import { refusedAccess } from './keys.js';
import { listPosts, paged, viewOptions, windowOf } from './listing.js';
import { RestError } from './model.js';
import type { Body, Post } from './model.js';
import { Query } from './query.js';
import type { Shop } from './shop.js';
import { narrowed, postView, termView } from './views.js';
import type { Webhooks } from './webhooks.js';
import { invalidId } from './writes.js';
import type { Writes } from './writes.js';

export interface Call {
  readonly method: string;
  /** Below `/wp-json/`, without slashes at its ends. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly body: Body;
  readonly authorization: string | undefined;
  readonly tls: boolean;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  /** Of a list. */
  readonly total?: number;
  readonly pages?: number;
}

export interface RouteParts {
  readonly shop: Shop;
  readonly keys: Keys;
  readonly writes: Writes;
  readonly webhooks: Webhooks;
  readonly about: {
    readonly name: string;
    readonly version: string;
    readonly plugins: readonly string[];
    readonly language: string;
  };
}

/** One request to a route, with the numbers of its path. */
interface Asked {
  readonly call: Call;
  readonly query: Query;
  readonly id: number;
  readonly own: number;
  readonly force: boolean;
}

const VERSION_OF_VARIATIONS = 10.3;
const MOST_IN_BATCH = 100;

/** The routes of the REST API that a connector uses. Any other answers `rest_no_route`, as the shop does. */
export class Routes {
  private readonly table: Record<string, (asked: Asked) => Reply | Promise<Reply>>;

  constructor(private readonly parts: RouteParts) {
    const { shop, writes, webhooks } = parts;
    const ok = (body: unknown): Reply => ({ status: 200, body });
    this.table = {
      'GET products': (asked) => this.listed(asked, 'products'),
      'POST products': async ({ call }) => this.shown(call, await writes.create(call.body), 201),
      'POST products/batch': ({ call }) => this.batch(call),
      'GET products/#': ({ call, id }) => this.shown(call, this.post(id)),
      'PUT products/#': async ({ call, id }) => this.shown(call, await this.updated(id, call.body)),
      'DELETE products/#': ({ call, id, force }) => this.shown(call, writes.remove(id, force)),
      'GET products/#/variations': (asked) => this.listed(asked, { parent: this.post(asked.id).id }),
      'POST products/#/variations': async ({ call, id }) =>
        this.shown(call, await writes.create(call.body, this.post(id)), 201),
      'GET products/#/variations/#': ({ call, id, own }) => this.shown(call, this.variation(id, own)),
      'PUT products/#/variations/#': async ({ call, id, own }) =>
        this.shown(call, await writes.update(this.variation(id, own).id, call.body)),
      'DELETE products/#/variations/#': ({ call, id, own, force }) =>
        this.shown(call, writes.remove(this.variation(id, own).id, force)),
      'GET products/categories': ({ query }) => paged(shop.terms('categories'), windowOf(query), termView),
      'GET webhooks': ({ query }) => paged(webhooks.all(), windowOf(query), (hook) => hook),
      'POST webhooks': async ({ call }) => ({ status: 201, body: await webhooks.create(call.body) }),
      'GET webhooks/#': ({ id }) => ok(webhooks.one(id)),
      'PUT webhooks/#': async ({ call, id }) => ok(await webhooks.update(id, call.body)),
      'DELETE webhooks/#': ({ id, force }) => ok(webhooks.remove(id, force)),
      'GET settings/products/woocommerce_weight_unit': () =>
        ok({ id: 'woocommerce_weight_unit', value: 'kg' }),
      'GET system_status': ({ query }) => ok(narrowed(this.systemStatus(), query.list('_fields'))),
    };
    if (parseFloat(parts.about.version) >= VERSION_OF_VARIATIONS)
      this.table['GET variations'] = (asked) => this.listed(asked, { parent: null });
  }

  async answer(call: Call): Promise<Reply> {
    const query = new Query(call.parameters);
    if (call.path === '') return { status: 200, body: this.index(query) };
    const path = /^wc\/v3\/(.+)$/.exec(call.path)?.[1];
    // Keys are for the shop's own API: the rest of WordPress does not look at them.
    if (path === undefined && call.path.startsWith('wp/'))
      throw new RestError(401, 'rest_not_logged_in', 'You are not currently logged in.');
    const method = call.method === 'HEAD' ? 'GET' : call.method;
    const route = path?.replaceAll(/\b\d+\b/g, '#') ?? '';
    // What is there already is written by PUT, PATCH and POST alike.
    const isWrite = route.endsWith('#') && ['POST', 'PATCH'].includes(method);
    const handler = this.table[`${isWrite ? 'PUT' : method} ${route}`];
    if (!handler)
      throw new RestError(404, 'rest_no_route', 'No route was found matching the URL and request method.');
    const { tls, authorization, parameters } = call;
    const signed = {
      method: call.method,
      path: `/wp-json/${call.path}`,
      query: parameters,
      authorization,
      tls,
    };
    if (!this.parts.keys.of(signed)) throw refusedAccess(401, method === 'GET' ? 'view' : 'edit');
    const [id = 0, own = 0] = [...(path ?? '').matchAll(/\b\d+\b/g)].map(Number);
    return handler({ call, query, id, own, force: query.flag('force') });
  }

  private listed({ call, query }: Asked, kind: 'products' | { readonly parent: number | null }): Reply {
    return listPosts(this.parts.shop, query, call.tls, kind);
  }

  private shown({ parameters, tls, method }: Call, post: Post, status = 200): Reply {
    const query = new Query(parameters);
    const view = viewOptions(query, tls);
    query.check();
    // A write answers what is kept, whatever the context that was asked for.
    const context = method === 'GET' || method === 'HEAD' ? view.context : 'edit';
    return {
      status,
      body: narrowed(postView(this.parts.shop, post, { ...view, context }), query.list('_fields'), true),
    };
  }

  private post(id = 0): Post {
    const post = this.parts.shop.post(id);
    if (!post) throw invalidId(404);
    return post;
  }

  private variation(parent = 0, id = 0): Post {
    const post = this.parts.shop.post(id);
    if (post?.parentId !== parent)
      throw new RestError(404, 'woocommerce_rest_product_variation_invalid_id', 'Invalid ID.');
    return post;
  }

  private updated(id = 0, body: Body): Promise<Post> {
    if (this.parts.shop.post(id)?.type === 'variation')
      throw new RestError(
        404,
        'woocommerce_rest_invalid_product_id',
        'To manipulate product variations you should use the /products/<product_id>/variations/<id> endpoint.',
      );
    return this.parts.writes.update(id, body);
  }

  /** Each part for itself: a refused one stands at its place in the answer, the others are done. Deletes are for good. */
  private async batch(call: Call): Promise<Reply> {
    const { writes } = this.parts;
    const acts: Readonly<Record<string, (body: Body, id: number) => Post | Promise<Post>>> = {
      create: (body) => writes.create(body),
      update: (body, id) => this.updated(id, body),
      delete: (_body, id) => writes.remove(id, true),
    };
    const parts = Object.keys(acts).map((name) => ({
      name,
      items: z.array(z.unknown()).catch([]).parse(call.body[name]),
    }));
    if (parts.flatMap(({ items }) => items).length > MOST_IN_BATCH)
      throw new RestError(
        413,
        'woocommerce_rest_request_entity_too_large',
        'Unable to accept more than 100 items.',
      );
    const body: Record<string, unknown[]> = {};
    for (const { name, items } of parts) {
      for (const item of items) {
        const given: Body = typeof item === 'object' ? { ...item } : { id: item };
        const id = Number(given['id'] ?? 0);
        body[name] ??= [];
        try {
          const post = await acts[name]?.(given, id);
          if (post) body[name].push(this.shown({ ...call, parameters: new URLSearchParams() }, post).body);
        } catch (error) {
          if (!(error instanceof RestError)) throw error;
          body[name].push({ id, error: error.body() });
        }
      }
    }
    return { status: 200, body };
  }

  private index(query: Query): object {
    const { shop, about } = this.parts;
    const body = {
      name: about.name,
      url: shop.homeUrl,
      home: shop.homeUrl,
      gmt_offset: shop.offset,
      timezone_string: '',
      namespaces: ['oembed/1.0', 'wc/v3', 'wc/store/v1', 'wp/v2'],
    };
    return narrowed(body, query.list('_fields'));
  }

  private systemStatus(): Record<string, unknown> {
    const { shop, about } = this.parts;
    const { version, plugins, language } = about;
    return {
      environment: {
        home_url: shop.homeUrl,
        site_url: shop.homeUrl,
        ...(shop.storeId === null ? {} : { store_id: shop.storeId }),
        version,
        wp_version: '6.9.7',
        language,
      },
      settings: { currency: 'EUR', thousand_separator: ',', decimal_separator: '.', number_of_decimals: 2 },
      active_plugins: plugins.map((plugin) => ({ plugin, name: plugin.split('/')[0] })),
      post_type_counts: [
        { type: 'product', count: String(shop.all().filter(({ parentId }) => parentId === 0).length) },
      ],
    };
  }
}
