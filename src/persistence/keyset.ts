import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';

/** One page of a list. `order` is by time; rows of one instant are ordered by id, so that pages neither skip nor repeat. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  readonly order: 'asc' | 'desc';
  /** The `next` of the page before. Rows that are added meanwhile do not shift the pages. */
  readonly cursor?: string | undefined;
}

export interface ListPage<T> {
  /** Of all pages. */
  readonly total: number;
  readonly rows: T[];
  /** The cursor of the page after this one; null when there is none. */
  readonly next: string | null;
}

/** The order of a list: by an expression, and rows with one value by their key. */
export interface RowOrder {
  /** Marks the cursors of this order: they fit no other one. */
  readonly name: string;
  readonly by: string;
  readonly type: 'timestamptz' | 'text' | 'bigint';
  readonly direction: 'ASC' | 'DESC';
  readonly key: string;
  readonly keyType: 'uuid' | 'text' | 'bigint';
  readonly keyDirection: 'ASC' | 'DESC';
}

/** The order by a time, and by the id of a row, both in the direction of the page. */
export function byTime(
  by: string,
  keyType: RowOrder['keyType'],
  { order }: Pick<PageRequest, 'order'>,
  key = 'entry.id',
): RowOrder {
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  return {
    name: `${by} ${order}`,
    by,
    type: 'timestamptz',
    direction,
    key,
    keyType,
    keyDirection: direction,
  };
}

const positionSchema = z.array(z.object({ position: z.string(), row_key: z.string() }));

/**
 * The page of a query whose alias is `entry`. A cursor has the place of the last row, not its number. What the database cannot read as
 * the type of the place is refused as `invalid`, as any such value is.
 */
export async function pageInOrder<E extends ObjectLiteral>(
  query: SelectQueryBuilder<E>,
  order: RowOrder,
  { limit, offset, cursor }: PageRequest,
): Promise<ListPage<E>> {
  const total = await query.clone().getCount();
  const { by, type, direction, key, keyType, keyDirection } = order;
  if (cursor !== undefined) {
    const [position = '', row = ''] = cursorParts(cursor, order.name, 2);
    const [beyond, keyBeyond] = [SIGNS[direction], SIGNS[keyDirection]];
    const at = `:position::${type}`;
    query.andWhere(
      // The first part lets an index find the place.
      `${by} ${beyond}= ${at} AND (${by} ${beyond} ${at} OR ${key} ${keyBeyond} :row::${keyType})`,
      { position, row },
    );
  }
  const { entities, raw } = await query
    .addSelect(`(${by})::text`, 'position')
    .addSelect(`(${key})::text`, 'row_key')
    .orderBy(by, direction)
    .addOrderBy(key, keyDirection)
    .limit(limit + 1)
    .offset(offset)
    .getRawAndEntities();
  const last = positionSchema.parse(raw.slice(0, limit)).at(-1);
  const hasMore = entities.length > limit && last !== undefined;
  return {
    total,
    rows: entities.slice(0, limit),
    next: hasMore ? cursorOf(order.name, [last.position, last.row_key]) : null,
  };
}

const SIGNS = { ASC: '>', DESC: '<' } as const;

export function cursorOf(name: string, parts: readonly string[]): string {
  return Buffer.from(JSON.stringify([name, ...parts])).toString('base64url');
}

/** Throws `invalid` for what is no cursor of this order. */
export function cursorParts(cursor: string, name: string, count: number): string[] {
  try {
    const parts = z
      .array(z.string())
      .length(count + 1)
      .parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (parts[0] === name) return parts.slice(1);
  } catch {
    // Not made here.
  }
  throw new CodedError('invalid', 'cursor: give the `next` of a page of the same list in the same order');
}
