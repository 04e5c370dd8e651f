import { z } from 'zod';
import type { Body, Post } from './model.js';
import type { Shop } from './shop.js';

const TermRefs = z.array(z.object({ id: z.number().optional(), name: z.string().optional() }));
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
