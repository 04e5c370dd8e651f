import { connectionOf } from './connections.js';
import type { Connection, ConnectionArgs } from './connections.js';
import { categoryView } from './product-view.js';
import type { RequestContext } from './request-context.js';

export interface CategoriesArgs extends ConnectionArgs {
  readonly search?: string | null;
}

/** The categories whose full name has every word of the search; without a search, those at the top. */
export function categories(
  { search, ...args }: CategoriesArgs,
  { state }: RequestContext,
): Connection<object> {
  const words = (search ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = state
    .taxonomy()
    .map((category, place) => ({ category, place }))
    .filter(({ category: { fullName } }) => {
      const name = fullName.toLowerCase();
      return words.length === 0 ? !name.includes('>') : words.every((word) => name.includes(word));
    });
  return connectionOf(
    found,
    args,
    ({ place }) => ({ id: place, value: place }),
    ({ category }) => categoryView(category),
  );
}
