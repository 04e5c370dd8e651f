import { GraphQLError } from 'graphql';

export interface ConnectionArgs {
  readonly first?: number | null;
  readonly after?: string | null;
}

/** The value by which items are sorted and found again. The id decides between equal values. */
export interface Position {
  readonly id: number;
  readonly value: number;
}

export interface Connection<Node> {
  readonly nodes: readonly Node[];
  readonly edges: readonly { readonly node: Node }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const MAX_PAGE = 250;

/**
 * One page of items that stand in the order of their positions. A cursor is a position among the values, not an item. Changed
 * or removed items are neither repeated nor stop the walk. A product that moved behind the cursor is missed, as in the real store.
 */
export function connectionOf<Item, Node>(
  items: readonly Item[],
  { first, after }: ConnectionArgs,
  positionOf: (item: Item) => Position,
  nodeOf: (item: Item) => Node,
): Connection<Node> {
  if (typeof first !== 'number') throw badRequest('you must provide one of first or last');
  if (first < 0) throw badRequest('first and last cannot be negative');
  if (first > MAX_PAGE) throw badRequest(`first and last cannot exceed ${MAX_PAGE}`);
  const cursor = after ? decodeCursor(after) : null;
  const begin = cursor ? items.findIndex((item) => comparePositions(positionOf(item), cursor) > 0) : 0;
  const start = begin === -1 ? items.length : begin;
  const page = items.slice(start, start + first);
  const last = page.at(-1);
  return {
    ...wholeConnection(page, nodeOf),
    pageInfo: {
      hasNextPage: start + first < items.length,
      endCursor: last === undefined ? null : encodeCursor(positionOf(last)),
    },
  };
}

/** All items in one page: how exports read connections. */
export function wholeConnection<Item, Node>(
  items: readonly Item[],
  nodeOf: (item: Item) => Node,
): Connection<Node> {
  const nodes = items.map(nodeOf);
  return {
    nodes,
    edges: nodes.map((node) => ({ node })),
    pageInfo: { hasNextPage: false, endCursor: null },
  };
}

export function comparePositions(left: Position, right: Position): number {
  return left.value - right.value || left.id - right.id;
}

function encodeCursor({ id, value }: Position): string {
  return Buffer.from(`${value} ${id}`).toString('base64');
}

function decodeCursor(cursor: string): Position {
  const [value, id] = Buffer.from(cursor, 'base64').toString('utf8').split(' ').map(Number);
  if (value === undefined || id === undefined || Number.isNaN(value + id))
    throw badRequest('Invalid cursor for current pagination sort.');
  return { id, value };
}

export function badRequest(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } });
}
