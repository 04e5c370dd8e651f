import { z } from 'zod';
import type { Post, Status } from './model.js';
import type { Shop } from './shop.js';
import { narrowed, postView } from './views.js';

export interface Page {
  readonly status: 200;
  readonly body: readonly object[];
  readonly total: number;
  readonly pages: number;
}

const HOUR_MS = 3_600_000;
const ids = z.string().transform((text) => new Set(text.split(',').map(Number)));
export const fields = z.string().transform((text) => new Set(text.split(',')));

/** The parameters of every list. Entries are asked for in the order of their ids, which is the order of the shop's own records. */
const Window = z.strictObject({
  per_page: z.coerce.number().int().min(1).max(100).default(10),
  offset: z.coerce.number().int().min(0).default(0),
  orderby: z.literal('id').optional(),
  order: z.literal('asc').optional(),
  _fields: fields.optional(),
});
/** Those of products and variations. A parameter that the sandbox does not have fails: one that it ignored would look like an answer. */
const PostList = Window.extend({
  context: z.enum(['view', 'edit']).default('view'),
  include: ids.optional(),
  parent: ids.optional(),
  modified_after: z.string().optional(),
  dates_are_gmt: z.literal('true').optional(),
});
type PostList = z.output<typeof PostList>;

/** Lists without a status show any, except these. */
const UNLISTED: ReadonlySet<Status> = new Set(['trash', 'archived']);

/** `GET /products`, `GET /variations` and the variations of one product: a page of what the query asks for, at this moment. */
export function listPosts(
  shop: Shop,
  query: object,
  kind: 'products' | { readonly parent: number | null },
): Page {
  const asked = PostList.parse(query);
  const isAfter = timeFilter(asked, shop.offset);
  const found = shop
    .all()
    .filter(
      (post) =>
        (kind === 'products'
          ? post.type !== 'variation'
          : post.type === 'variation' && (kind.parent === null || post.parentId === kind.parent)) &&
        !UNLISTED.has(post.row.status) &&
        (asked.include?.has(post.id) ?? true) &&
        (asked.parent?.has(post.parentId) ?? true) &&
        isAfter(post),
    );
  const page = paged(found, asked);
  const view = (post: Post): object => narrowed(postView(shop, post, asked.context), asked._fields);
  return { ...page, body: page.body.map(view) };
}

/** A page of entries as they are, such as webhooks and terms. */
export function listEntries(entries: readonly object[], query: object): Page {
  const asked = Window.parse(query);
  const page = paged(entries, asked);
  return { ...page, body: page.body.map((entry) => narrowed(entry, asked._fields)) };
}

/** A page past the end is empty and has the right total. */
function paged<T>(
  found: readonly T[],
  { offset, per_page: size }: z.output<typeof Window>,
): Omit<Page, 'body'> & { readonly body: readonly T[] } {
  return {
    status: 200,
    body: found.slice(offset, offset + size),
    total: found.length,
    pages: Math.ceil(found.length / size),
  };
}

/**
 * Times are exclusive and compared by whole seconds. A time with a zone is turned into the shop's local time first, and then
 * compared with the column that was asked for: with `dates_are_gmt` that is off by the shop's offset.
 */
function timeFilter(
  { modified_after: text, dates_are_gmt: isGmt }: PostList,
  offset: number,
): (post: Post) => boolean {
  if (text === undefined) return () => true;
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/.test(text);
  const after = Date.parse(hasZone ? text : `${text}Z`) + (hasZone ? offset * HOUR_MS : 0);
  return ({ modifiedAt }) => {
    const column = modifiedAt.getTime() + (isGmt ? 0 : offset * HOUR_MS);
    return Math.floor(column / 1000) * 1000 > after;
  };
}
