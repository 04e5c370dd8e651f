import { slug as slugOf } from '../store/product-html.js';
import { isHiddenMeta } from './meta.js';
import type { Attribute, Image, Post, Term } from './model.js';
import { timeText } from './shop.js';
import type { Shop } from './shop.js';
import { paragraphs, rendered } from './texts.js';

export interface ViewOptions {
  /** `view` is what pages show; `edit` is what is kept. A PUT answers in `edit`. */
  readonly context: 'view' | 'edit';
  /** Whether the request came over TLS: then addresses of the shop's own host turn https. */
  readonly tls: boolean;
}

/** Fields that the sandbox shows and does not keep. */
const FIXED = {
  virtual: false,
  downloadable: false,
  tax_status: 'taxable',
  backorders: 'no',
  dimensions: { length: '', width: '', height: '' },
  shipping_class: '',
};
const FIXED_OF_PRODUCTS = {
  featured: false,
  catalog_visibility: 'visible',
  reviews_allowed: true,
  rating_count: 0,
};

/** A product as `/products` answers it, a variation as `/variations` does. */
export function postView(shop: Shop, post: Post, options: ViewOptions): Record<string, unknown> {
  const common = commonView(shop, post, options);
  const { tls } = options;
  if (post.type === 'variation') {
    const parent = shop.post(post.parentId);
    return {
      ...common,
      type: 'variation',
      parent_id: post.parentId,
      // The shop makes paragraphs of it in `edit` as well: the stored text cannot be read.
      description: paragraphs(post.row.description),
      // Without a SKU of its own it answers its product's.
      sku: post.sku === '' ? (parent?.sku ?? '') : post.sku,
      image: post.images[0] ? imageView(shop, post.images[0], tls) : null,
      attributes: post.attributes.flatMap(({ id, name, options: [option] }) =>
        option === undefined ? [] : [{ id, name, slug: slugOf(name), option }],
      ),
      name: post.attributes.flatMap((attribute) => attribute.options).join(', '),
      // Recorded so: the link leads nowhere, `parent_id` is right.
      _links: links(shop, `products/${post.parentId}/variations/${post.id}`, 'products/0', tls),
    };
  }
  const isEdit = options.context === 'edit';
  const terms = (ids: readonly number[], taxonomy: 'categories' | 'brands' | 'tags'): object[] =>
    ids.flatMap((id) => {
      const term = shop.termById(taxonomy, id);
      return term ? [{ id, name: term.name, slug: term.slug }] : [];
    });
  return {
    ...common,
    type: post.type,
    parent_id: 0,
    ...FIXED_OF_PRODUCTS,
    description: isEdit ? post.row.description : rendered(post.row.description),
    short_description: isEdit ? post.row.shortDescription : rendered(post.row.shortDescription),
    sku: post.sku,
    total_sales: post.totalSales,
    average_rating: isEdit ? '0' : '0.00',
    related_ids: randomIds(shop, post),
    categories: terms(post.categories, 'categories'),
    brands: terms(post.brands, 'brands'),
    tags: terms(post.tags, 'tags'),
    images: post.images.map((image) => imageView(shop, image, tls)),
    attributes: post.attributes.map(attributeView),
    variations: shop.variationsOf(post.id).map(({ id }) => id),
    price_html: `<span class="amount">${price(post)}</span>`,
    has_options: post.type === 'variable',
    ...(isEdit
      ? { permalink_template: `${shop.homeUrl}/product/%product%/`, generated_slug: post.row.slug }
      : {}),
    _links: links(shop, `products/${post.id}`, null, tls),
  };
}

function commonView(shop: Shop, post: Post, options: ViewOptions): Record<string, unknown> {
  const { offset } = shop;
  const created = post.createdAt;
  const modified = post.modifiedAt;
  return {
    id: post.id,
    name: post.row.name,
    slug: post.row.slug,
    permalink: asAsked(
      post.row.status === 'publish'
        ? `${shop.homeUrl}/product/${post.row.slug}/`
        : `${shop.homeUrl}/?post_type=product&p=${post.id}`,
      shop,
      options.tls,
    ),
    date_created: timeText(created, offset),
    date_created_gmt: timeText(created),
    date_modified: timeText(modified, offset),
    date_modified_gmt: timeText(modified),
    status: post.row.status,
    global_unique_id: post.globalUniqueId,
    price: price(post),
    regular_price: post.regularPrice,
    sale_price: post.salePrice,
    on_sale: post.salePrice !== '',
    purchasable: post.row.status === 'publish' && price(post) !== '',
    manage_stock: post.manageStock,
    stock_quantity: post.stockQuantity,
    stock_status: post.manageStock && (post.stockQuantity ?? 0) <= 0 ? 'outofstock' : 'instock',
    weight: post.weight,
    ...FIXED,
    menu_order: post.row.menuOrder,
    meta_data: post.meta.filter(({ key }) => !isHiddenMeta(key)),
  };
}

export function price({ salePrice, regularPrice }: Pick<Post, 'salePrice' | 'regularPrice'>): string {
  return salePrice === '' ? regularPrice : salePrice;
}

export function termView({ id, name, slug, parent, taxonomy }: Term): object {
  return {
    id,
    name,
    slug,
    ...(taxonomy === 'tags' ? {} : { parent }),
    description: '',
    menu_order: 0,
    count: 0,
  };
}

/** Only the named members, by whole names: a name with a point names nothing. An object without any turns into `[]`. */
export function narrowed(
  view: Record<string, unknown>,
  fields: readonly string[] | null,
  isOne = false,
): object {
  if (fields === null) return view;
  const kept = Object.entries(view).filter(([name]) => fields.includes(name) || (isOne && name === '_links'));
  return kept.length === 0 ? [] : Object.fromEntries(kept);
}

/** An address of a shop whose own address is http turns https when it is asked over TLS. */
function asAsked(address: string, shop: Shop, tls: boolean): string {
  return tls && address.startsWith(shop.homeUrl) ? address.replace(/^http:/, 'https:') : address;
}

function imageView(shop: Shop, image: Image, tls: boolean): object {
  const { id, src, name, alt, createdAt } = image;
  return {
    id,
    // Recorded so: off by the zone's offset once more.
    date_created: timeText(createdAt, 2 * shop.offset),
    date_created_gmt: timeText(createdAt),
    date_modified: timeText(createdAt, 2 * shop.offset),
    date_modified_gmt: timeText(createdAt),
    src: asAsked(src, shop, tls),
    name,
    alt,
    srcset: `${src} 800w`,
    sizes: '(max-width: 800px) 100vw, 800px',
    thumbnail: src,
  };
}

function attributeView(attribute: Attribute, position: number): object {
  const { id, name, visible, variation, options } = attribute;
  return { id, name, slug: slugOf(name), position, visible, variation, options };
}

/** Another choice at each request, as the shop makes it. */
function randomIds(shop: Shop, { id }: Post): number[] {
  const other = id + 1 + Math.floor(Math.random() * 5);
  return shop.post(other)?.type === 'simple' ? [other] : [];
}

function links(shop: Shop, path: string, up: string | null, tls: boolean): object {
  const href = (to: string): object[] => [
    { href: asAsked(`${shop.homeUrl}/wp-json/wc/v3/${to}`, shop, tls) },
  ];
  return { self: href(path), collection: href('products'), ...(up === null ? {} : { up: href(up) }) };
}
