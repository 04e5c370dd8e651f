import { STATUSES, PRODUCT_TYPES } from './model.js';
import type { Post } from './model.js';
import type { Query } from './query.js';
import type { Shop } from './shop.js';
import { narrowed, postView, price } from './views.js';
import type { ViewOptions } from './views.js';

export interface Page {
  readonly status: 200;
  readonly body: readonly object[];
  readonly total: number;
  readonly pages: number;
}

const HOUR_MS = 3_600_000;
const PARAMETERS = (
  'page per_page offset order orderby include exclude status include_status exclude_status modified_after modified_before ' +
  'dates_are_gmt sku global_unique_id slug type parent include_meta exclude_meta'
).split(' ');
const ORDERS = [
  'date',
  'id',
  'include',
  'modified',
  'title',
  'slug',
  'price',
  'menu_order',
  'popularity',
  'rating',
] as const;

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
    includeMeta: query.list('include_meta'),
    excludeMeta: query.list('exclude_meta'),
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
  const skus = query.list('sku')?.map((sku) => sku.toLowerCase()) ?? null;
  const identifiers = query.list('global_unique_id');
  const slugs = query.list('slug');
  const type = query.oneOf('type', '', ['', ...PRODUCT_TYPES]);
  const statuses = statusesOf(query, status);
  const included = asSet(query.ids('include'));
  const excluded = asSet(query.ids('exclude'));
  const parents = asSet(query.ids('parent'));
  const times = timeFilter(query, shop.offset);
  // Asked by SKU or identifier, `/products` answers variations too.
  const isByIdentifier = skus !== null || identifiers !== null;
  const isOfKind = (post: Post): boolean => {
    if (kind === 'products') return post.type !== 'variation' || isByIdentifier;
    return post.type === 'variation' && (kind.parent === null || post.parentId === kind.parent);
  };
  return (post) =>
    isOfKind(post) &&
    statuses.has(post.row.status) &&
    (included?.has(post.id) ?? true) &&
    !(excluded?.has(post.id) ?? false) &&
    (parents?.has(post.parentId) ?? true) &&
    (skus?.includes(post.sku.toLowerCase()) ?? true) &&
    (identifiers?.includes(post.globalUniqueId) ?? true) &&
    (slugs?.includes(post.row.slug) ?? true) &&
    (type === '' || post.type === type) &&
    times(post);
}

/** `any` is all but the trash. */
function statusesOf(query: Query, status: string): ReadonlySet<string> {
  const any = STATUSES.filter((each) => each !== 'trash');
  const asked = query.list('include_status') ?? (status === 'any' ? any : [status]);
  const excluded = query.list('exclude_status') ?? [];
  return new Set(
    asked.flatMap((each) => (each === 'any' ? any : [each])).filter((each) => !excluded.includes(each)),
  );
}

/**
 * Times are exclusive and compared by whole seconds. A time with a zone is turned into the shop's local time first, and then
 * compared with the column that was asked for: with `dates_are_gmt` that is off by the shop's offset.
 */
function timeFilter(query: Query, offset: number): (post: Post) => boolean {
  const isGmt = query.flag('dates_are_gmt');
  const compared = (name: string): number | null => {
    const time = query.time(name);
    return time && time.digits + (time.hasZone ? offset * HOUR_MS : 0);
  };
  const after = compared('modified_after');
  const before = compared('modified_before');
  return (post) => {
    const column = post.modifiedAt.getTime() + (isGmt ? 0 : post.modifiedOffset * HOUR_MS);
    const seconds = column - (((column % 1000) + 1000) % 1000);
    return (after === null || seconds > after) && (before === null || seconds < before);
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
    case 'title':
      return by(({ row }) => row.name.toLowerCase());
    case 'slug':
      return by(({ row }) => row.slug);
    case 'price':
      return by((post) => Number(price(post)));
    case 'menu_order':
      return by(({ row }) => row.menuOrder);
    case 'popularity':
    case 'rating':
      return by(({ totalSales }) => totalSales);
  }
}

function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

function asSet<T>(values: readonly T[] | null): ReadonlySet<T> | null {
  return values && new Set(values);
}
