import { slug as slugOf } from '../store/product-html.js';
import type { Image, Post, Taxonomy, Term } from './model.js';
import { timeText } from './shop.js';
import type { Shop } from './shop.js';
import { rendered } from './texts.js';

/** `view` is what pages show; `edit` is what is kept. */
export type Context = 'view' | 'edit';

/** A product as `/products` answers it, a variation as `/variations` does: the fields that store-sync knows. */
export function postView(shop: Shop, post: Post, context: Context): object {
  const { row, type, images } = post;
  const common = {
    id: post.id,
    type,
    parent_id: post.parentId,
    status: row.status,
    global_unique_id: post.globalUniqueId,
    weight: post.weight,
    menu_order: row.menuOrder,
    date_modified: timeText(post.modifiedAt, shop.offset),
    date_modified_gmt: timeText(post.modifiedAt),
    meta_data: post.meta,
  };
  if (type === 'variation')
    return {
      ...common,
      name: post.attributes.flatMap((attribute) => attribute.options).join(', '),
      // Without a SKU of its own it answers its product's.
      sku: post.sku === '' ? (shop.post(post.parentId)?.sku ?? '') : post.sku,
      image: images[0] ? imageView(images[0]) : null,
      attributes: post.attributes.map(({ name, options: [option] }) => ({ name, option })),
    };
  const shown = (text: string): string => (context === 'edit' ? text : rendered(text));
  const terms = (ids: readonly number[], taxonomy: Taxonomy): object[] =>
    shop.terms(taxonomy).flatMap(({ id, name, slug }) => (ids.includes(id) ? [{ id, name, slug }] : []));
  return {
    ...common,
    name: row.name,
    slug: row.slug,
    permalink:
      row.status === 'publish'
        ? `${shop.homeUrl}/product/${row.slug}/`
        : `${shop.homeUrl}/?post_type=product&p=${post.id}`,
    catalog_visibility: 'visible',
    description: shown(row.description),
    short_description: shown(row.shortDescription),
    sku: post.sku,
    variations:
      type === 'variable'
        ? shop
            .all()
            .flatMap(({ id, parentId, row: { status } }) =>
              parentId === post.id && status !== 'trash' ? id : [],
            )
        : [],
    categories: terms(post.categories, 'categories'),
    brands: terms(post.brands, 'brands'),
    tags: terms(post.tags, 'tags'),
    images: images.map(imageView),
    attributes: post.attributes.map((attribute) => ({ ...attribute, slug: slugOf(attribute.name) })),
  };
}

export function termView({ id, name, parent }: Term): object {
  return { id, name, parent };
}

/** Only the named members. */
export function narrowed(view: object, fields: ReadonlySet<string> | undefined): object {
  return fields ? Object.fromEntries(Object.entries(view).filter(([name]) => fields.has(name))) : view;
}

function imageView({ id, src, alt }: Image): object {
  return { id, src, alt };
}
