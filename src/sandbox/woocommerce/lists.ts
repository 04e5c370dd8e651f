import { z } from 'zod';
import { RestError } from './model.js';
import type { Attribute, Body, Image, Post } from './model.js';
import type { Shop } from './shop.js';

const TermRefs = z.array(z.object({ id: z.number().optional(), name: z.string().optional() }));
const ImageRefs = z.array(
  z.object({
    id: z.number().optional(),
    src: z.string().optional(),
    name: z.string().optional(),
    alt: z.string().optional(),
  }),
);
const AttributeRefs = z.array(
  z.object({
    id: z.number().optional(),
    name: z.string().optional(),
    visible: z.boolean().optional(),
    variation: z.boolean().optional(),
    options: z.array(z.string()).optional(),
    option: z.string().optional(),
  }),
);

/** The terms of a product after a request; each list replaces all of its kind. */
export function keptTerms(shop: Shop, body: Body, post: Post): Pick<Post, 'categories' | 'brands' | 'tags'> {
  const categories = refs(body['categories'])?.flatMap(
    ({ id }) => shop.termById('categories', id ?? 0)?.id ?? [],
  );
  const brands = refs(body['brands'])?.flatMap(({ id }) => shop.termById('brands', id ?? 0)?.id ?? []);
  const tags = refs(body['tags'])?.flatMap(({ id, name }) =>
    name === undefined ? (shop.termById('tags', id ?? 0)?.id ?? []) : shop.term('tags', name).id,
  );
  return {
    // A name, or an id that is none, leaves the product in the default category.
    categories: categories?.length === 0 ? [shop.defaultCategory] : (categories ?? post.categories),
    // An empty list of brands does not clear them.
    brands: brands?.length === 0 ? post.brands : (brands ?? post.brands),
    tags: tags ?? post.tags,
  };
}

function refs(value: unknown): z.infer<typeof TermRefs> | undefined {
  return value === undefined ? undefined : TermRefs.parse(value);
}

/** The whole list. An option that a global attribute does not have becomes one for the whole shop. */
export function keptAttributes(shop: Shop, value: unknown): Attribute[] | null {
  if (value === undefined) return null;
  return AttributeRefs.parse(value).map(
    ({ id = 0, name = '', visible = false, variation = false, options, option }) => {
      const known = shop.globalAttributes().find((attribute) => attribute.id === id);
      const names = options ?? (option === undefined || option === '' ? [] : [option]);
      if (known) for (const each of names) shop.term(known.slug, each);
      return { id: known?.id ?? 0, name: known?.name ?? name, visible, variation, options: names };
    },
  );
}

/** An image by address is fetched during the request, at every request anew; one by id is kept. */
export function keptImages(shop: Shop, value: unknown, post: Post): Image[] | null {
  if (value === undefined || value === null) return null;
  return ImageRefs.parse(value).map(({ id, src, name, alt }) => {
    const known = post.images.find((image) => image.id === id);
    if (known) return { ...known, name: name ?? known.name, alt: alt ?? known.alt };
    if (src === undefined || !URL.canParse(src) || new URL(src).hostname.endsWith('.invalid'))
      throw new RestError(
        400,
        'woocommerce_product_image_upload_error',
        `Error getting remote image ${src ?? ''}.`,
      );
    const file = new URL(src).pathname.split('/').at(-1) ?? 'image';
    return shop.newImage(`${shop.homeUrl}/wp-content/uploads/${shop.nextId()}-${file}`, alt);
  });
}
