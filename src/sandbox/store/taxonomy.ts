import { connectionOf } from './connections.js';
import type { Connection, ConnectionArgs } from './connections.js';
import { categoryView } from './product-view.js';
import type { RequestContext } from './request-context.js';

export interface CategoriesArgs extends ConnectionArgs {
  readonly search?: string | null;
}

/** The categories whose full name has every word of the search. */
export function categories(
  { search, ...args }: CategoriesArgs,
  { state }: RequestContext,
): Connection<object> {
  const words = (search ?? '').toLowerCase().split(/\s+/);
  const found = state
    .taxonomy()
    .map((category, place) => ({ category, place }))
    .filter(({ category }) => words.every((word) => category.fullName.toLowerCase().includes(word)));
  return connectionOf(
    found,
    args,
    ({ place }) => ({ id: place, value: place }),
    ({ category }) => categoryView(category),
  );
}
