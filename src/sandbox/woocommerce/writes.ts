import { setTimeout as delay } from 'node:timers/promises';
import { keptTerms } from './lists.js';
import { MetaEntries, withMeta } from './meta.js';
import { NotInSandbox, PRODUCT_TYPES, RestError, STATUSES } from './model.js';
import type { Body, Post, PostRow } from './model.js';
import { refuseParameters } from './query.js';
import type { Shop } from './shop.js';
import { keptAmount, keptIdentifier, keptName, keptSku, keptText } from './texts.js';
import { slug as slugOf } from '../store/product-html.js';

const TEXTS = ['name', 'description', 'short_description'] as const;
/** Fields of the post row: a request that names one of them writes the whole row. */
const ROW_FIELDS = [...TEXTS, 'slug', 'status', 'menu_order'];
const TYPES: Readonly<
  Record<string, 'text' | 'string' | 'boolean' | 'integer' | 'array' | readonly string[]>
> = {
  name: 'text',
  description: 'text',
  short_description: 'text',
  slug: 'string',
  status: STATUSES,
  type: PRODUCT_TYPES,
  sku: 'string',
  global_unique_id: 'string',
  regular_price: 'string',
  sale_price: 'string',
  weight: 'string',
  manage_stock: 'boolean',
  stock_quantity: 'integer',
  menu_order: 'integer',
  categories: 'array',
  brands: 'array',
  tags: 'array',
  meta_data: 'array',
};
/** Fields that the API takes and the sandbox does not keep. Others are unknown to both, and ignored. */
const NOT_KEPT = new Set(
  (
    'attributes images image featured catalog_visibility dimensions tax_status tax_class virtual downloadable downloads backorders shipping_class ' +
    'reviews_allowed upsell_ids cross_sell_ids purchase_note default_attributes grouped_products external_url button_text ' +
    'date_created date_created_gmt date_on_sale_from date_on_sale_to post_password stock_status'
  ).split(' '),
);

/** The shop's writes. A PUT loads the row, works, and writes the row back: what another wrote meanwhile is lost. */
export class Writes {
  constructor(
    private readonly shop: Shop,
    /** How long a write takes between loading and saving. */
    private readonly writeMs: number,
  ) {}

  async update(id: number, body: Body): Promise<Post> {
    const loaded = this.shop.post(id);
    if (!loaded) throw invalidId(400);
    refuseMistyped(body);
    await delay(this.writeMs);
    const current = this.shop.post(id);
    if (!current) throw invalidId(400);
    const changed = this.applied(current, loaded.row, body);
    const isTrashed = changed.row.status === 'trash' && current.row.status !== 'trash';
    return isTrashed ? this.shop.trash({ ...changed, row: current.row }) : this.shop.save(changed);
  }

  async create(body: Body, parent: Post | null = null): Promise<Post> {
    refuseMistyped(body);
    await delay(this.writeMs);
    const type = parent ? 'variation' : (PRODUCT_TYPES.find((each) => each === body['type']) ?? 'simple');
    const blank = this.shop.blank({ type, parentId: parent?.id ?? 0, row: { name: '' } });
    return this.shop.add(this.applied(blank, blank.row, body));
  }

  /** Into the trash, or for good. */
  remove(id: number, force: boolean): Post {
    const post = this.shop.post(id);
    if (!post) throw invalidId(404);
    if (force) this.shop.destroy(post);
    else if (post.row.status === 'trash')
      throw new RestError(410, 'woocommerce_rest_already_trashed', 'The product has already been deleted.');
    else return this.shop.trash(post);
    return post;
  }

  private applied(post: Post, loadedRow: PostRow, body: Body): Post {
    const { shop } = this;
    const text = (name: string): string | undefined => {
      const value = body[name];
      return typeof value === 'string' ? value : undefined;
    };
    const sku = text('sku') === undefined ? post.sku : keptSku(text('sku') ?? '');
    const identifier = text('global_unique_id');
    const globalUniqueId = identifier === undefined ? post.globalUniqueId : keptIdentifier(identifier);
    const amount = (name: string, kept: string): string => {
      const value = text(name);
      return value === undefined ? kept : keptAmount(value);
    };
    const { manage_stock: manageStock, stock_quantity: stockQuantity } = body;
    const written: Post = {
      ...post,
      row: this.row(post, loadedRow, body),
      sku,
      globalUniqueId,
      regularPrice: amount('regular_price', post.regularPrice),
      salePrice: amount('sale_price', post.salePrice),
      weight: amount('weight', post.weight),
      manageStock: typeof manageStock === 'boolean' ? manageStock : post.manageStock,
      stockQuantity: typeof stockQuantity === 'number' ? stockQuantity : post.stockQuantity,
      ...keptTerms(shop, body, post),
    };
    return withMeta(shop, written, MetaEntries.parse(body['meta_data'] ?? []));
  }

  private row(post: Post, loaded: PostRow, body: Body): PostRow {
    if (!ROW_FIELDS.some((name) => name in body)) return post.row;
    const before = this.shop.writtenRow(loaded);
    const text = (name: string, kept: (sent: string) => string, otherwise: string): string => {
      const sent = body[name];
      return name in body ? kept(typeof sent === 'string' ? sent : '') : otherwise;
    };
    const { status: sentStatus, menu_order: order } = body;
    const status = STATUSES.find((each) => each === sentStatus) ?? before.status;
    const slug =
      loaded.status === 'trash' && status !== 'trash' ? before.slug.replace(/__trashed$/, '') : before.slug;
    const row: PostRow = {
      name: text('name', keptName, before.name),
      description: text('description', keptText, before.description),
      shortDescription: text('short_description', keptText, before.shortDescription),
      slug: this.shop.freeSlug(text('slug', slugOf, slug), post.id),
      status,
      menuOrder: typeof order === 'number' ? order : before.menuOrder,
    };
    // A post without any text is not saved, and the answer does not say so.
    const isEmpty = post.type !== 'variation' && row.name + row.description + row.shortDescription === '';
    return isEmpty && TEXTS.some((name) => name in body) ? post.row : row;
  }
}

export function invalidId(status: 400 | 404): RestError {
  return new RestError(status, 'woocommerce_rest_product_invalid_id', 'Invalid ID.');
}

function refuseMistyped(body: Body): void {
  const refused = new Map<string, { readonly code: string; readonly message: string }>();
  for (const [name, value] of Object.entries(body)) {
    if (NOT_KEPT.has(name)) throw new NotInSandbox(`field ${name}`);
    const type = TYPES[name];
    if (type === undefined || isOfType(value, type)) continue;
    const [code, message] =
      typeof type === 'string'
        ? ['rest_invalid_type', `${name} is not of type ${type === 'text' ? 'string' : type}.`]
        : ['rest_not_in_enum', `${name} is not one of ${type.join(', ')}.`];
    refused.set(name, { code, message });
  }
  refuseParameters(refused);
}

function isOfType(value: unknown, type: string | readonly string[]): boolean {
  if (type === 'text') return value === null || typeof value === 'string';
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return value === null || Number.isInteger(value);
  return typeof type === 'string' ? typeof value === type : typeof value === 'string' && type.includes(value);
}
