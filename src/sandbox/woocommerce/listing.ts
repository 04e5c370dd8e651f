import { STATUSES } from './model.js';
import type { Post } from './model.js';
import type { Query } from './query.js';
import type { Shop } from './shop.js';
import { narrowed, postView } from './views.js';
import type { ViewOptions } from './views.js';

export interface Page {
  readonly status: 200;
  readonly body: readonly object[];
  readonly total: number;
  readonly pages: number;
}

const HOUR_MS = 3_600_000;
const PARAMETERS =
  'page per_page offset order orderby include status modified_after dates_are_gmt parent'.split(' ');
const ORDERS = ['date', 'id', 'include', 'modified'] as const;

/** `GET /products`, `GET /variations` and the variations of one product: a page of what the query asks for, at this moment. */
export function listPosts(
  shop: Shop,
  query: Query,
  tls: boolean,
  kind: 'products' | { readonly parent: number | null },
): Page {
  query.only(PARAMETERS);
  const window = windowOf(query);
  const orderby = query.oneOf('orderby', 'date', ORDERS);
  const order = query.oneOf('order', 'desc', ['asc', 'desc']);
  const status = query.oneOf('status', 'any', ['any', ...STATUSES]);
  const view = viewOptions(query, tls);
  const wanted = filterOf(shop, query, kind, status);
  query.check();
  const include = query.ids('include');
  const found = shop.all().filter(wanted);
  found.sort(comparing(orderby, include));
  if (order === 'desc' && orderby !== 'include') found.reverse();
  const fields = query.list('_fields');
  const shown = paged(found, window, (post) =>
    shop.hidden.has(post.id) ? [] : [narrowed(postView(shop, post, view), fields)],
  );
  return { ...shown, body: shown.body.flat() };
}

export function viewOptions(query: Query, tls: boolean): ViewOptions {
  return {
    context: query.oneOf('context', 'view', ['view', 'edit']),
    tls,
  };
}

interface Window {
  readonly start: number;
  readonly size: number;
}

/** `offset` beats `page`. */
export function windowOf(query: Query): Window {
  const size = query.integer('per_page', 10, 1, 100);
  const page = query.integer('page', 1, 1);
  return { start: query.integer('offset', (page - 1) * size, 0), size };
}

/** A page past the end is empty and has the right total. */
export function paged<T>(found: readonly T[], { start, size }: Window, view: (item: T) => object): Page {
  return {
    status: 200,
    body: found.slice(start, start + size).map((item) => view(item)),
    total: found.length,
    pages: Math.ceil(found.length / size),
  };
}

function filterOf(
  shop: Shop,
  query: Query,
  kind: 'products' | { readonly parent: number | null },
  status: string,
): (post: Post) => boolean {
  const any = STATUSES.filter((each) => each !== 'trash');
  const statuses = new Set<string>(status === 'any' ? any : [status]);
  const included = asSet(query.ids('include'));
  const parents = asSet(query.ids('parent'));
  const isAfter = timeFilter(query, shop.offset);
  return (post) =>
    (kind === 'products'
      ? post.type !== 'variation'
      : post.type === 'variation' && (kind.parent === null || post.parentId === kind.parent)) &&
    statuses.has(post.row.status) &&
    (included?.has(post.id) ?? true) &&
    (parents?.has(post.parentId) ?? true) &&
    isAfter(post);
}

/**
 * Times are exclusive and compared by whole seconds. A time with a zone is turned into the shop's local time first, and then
 * compared with the column that was asked for: with `dates_are_gmt` that is off by the shop's offset.
 */
function timeFilter(query: Query, offset: number): (post: Post) => boolean {
  const isGmt = query.flag('dates_are_gmt');
  const time = query.time('modified_after');
  const after = time && time.digits + (time.hasZone ? offset * HOUR_MS : 0);
  return (post) => {
    const column = post.modifiedAt.getTime() + (isGmt ? 0 : post.modifiedOffset * HOUR_MS);
    const seconds = column - (((column % 1000) + 1000) % 1000);
    return after === null || seconds > after;
  };
}

function comparing(
  orderby: (typeof ORDERS)[number],
  include: readonly number[] | null,
): (left: Post, right: Post) => number {
  const byId = (left: Post, right: Post): number => left.id - right.id;
  const by =
    (value: (post: Post) => number | string): ((left: Post, right: Post) => number) =>
    (left, right) => {
      const [a, b] = [value(left), value(right)];
      return a < b ? -1 : a > b ? 1 : byId(left, right);
    };
  switch (orderby) {
    case 'id':
      return byId;
    case 'include':
      return by(({ id }) => include?.indexOf(id) ?? id);
    case 'date':
      return by(({ createdAt }) => wholeSeconds(createdAt));
    case 'modified':
      return by(({ modifiedAt }) => wholeSeconds(modifiedAt));
  }
}

function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

function asSet<T>(values: readonly T[] | null): ReadonlySet<T> | null {
  return values && new Set(values);
}
