import { GraphQLError } from 'graphql';

export interface ConnectionArgs {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
  readonly reverse?: boolean;
}

/** The value by which items are sorted and found again. The id decides between equal values. */
export interface Position {
  readonly id: number;
  readonly value: string | number;
}

export interface Connection<Node> {
  readonly nodes: readonly Node[];
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

const MAX_PAGE = 250;

/**
 * One page of sorted items. A cursor is a position among the values, not an item. Changed or removed items are
 * neither repeated nor stop the walk. A product that moved behind the cursor is missed, as in the real store. Items
 * must stand in the order that `positionOf` gives, `reverse` included.
 */
export function connectionOf<Item, Node>(
  items: readonly Item[],
  args: ConnectionArgs,
  positionOf: (item: Item) => Position,
  nodeOf: (item: Item) => Node,
): Connection<Node> {
  checkWindow(args);
  const order = args.reverse ? -1 : 1;
  const after = args.after ? decodeCursor(args.after) : null;
  const before = args.before ? decodeCursor(args.before) : null;
  const start = after
    ? firstIndex(items, (item) => order * comparePositions(positionOf(item), after) > 0)
    : 0;
  const end = before
    ? firstIndex(items, (item) => order * comparePositions(positionOf(item), before) >= 0)
    : items.length;
  const from = typeof args.last === 'number' ? Math.max(start, end - args.last) : start;
  const to = typeof args.first === 'number' ? Math.min(end, start + args.first) : end;
  return page(
    items.slice(from, to),
    { hasNextPage: to < items.length, hasPreviousPage: from > 0 },
    positionOf,
    nodeOf,
  );
}

/** All items in one page: how exports read connections. */
export function wholeConnection<Item, Node>(
  items: readonly Item[],
  positionOf: (item: Item) => Position,
  nodeOf: (item: Item) => Node,
): Connection<Node> {
  return page(items, { hasNextPage: false, hasPreviousPage: false }, positionOf, nodeOf);
}

export function comparePositions(left: Position, right: Position): number {
  if (left.value !== right.value) return left.value < right.value ? -1 : 1;
  return left.id - right.id;
}

function page<Item, Node>(
  items: readonly Item[],
  more: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean },
  positionOf: (item: Item) => Position,
  nodeOf: (item: Item) => Node,
): Connection<Node> {
  const edges = items.map((item) => ({ cursor: encodeCursor(positionOf(item)), node: nodeOf(item) }));
  return {
    edges,
    nodes: edges.map((edge) => edge.node),
    pageInfo: { ...more, startCursor: edges.at(0)?.cursor ?? null, endCursor: edges.at(-1)?.cursor ?? null },
  };
}

function checkWindow({ first, last }: ConnectionArgs): void {
  if (typeof first !== 'number' && typeof last !== 'number')
    throw badRequest('you must provide one of first or last');
  if (typeof first === 'number' && typeof last === 'number') {
    throw badRequest('providing both first and last is not supported');
  }
  const size = first ?? last ?? 0;
  if (size < 0) throw badRequest('first and last cannot be negative');
  if (size > MAX_PAGE) throw badRequest(`first and last cannot exceed ${MAX_PAGE}`);
}

function firstIndex<Item>(items: readonly Item[], test: (item: Item) => boolean): number {
  const index = items.findIndex(test);
  return index === -1 ? items.length : index;
}

function encodeCursor({ id, value }: Position): string {
  return Buffer.from(JSON.stringify({ last_id: id, last_value: value })).toString('base64');
}

function decodeCursor(cursor: string): Position {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, 'base64').toString('utf8'));
    if (typeof decoded === 'object' && decoded !== null && 'last_id' in decoded && 'last_value' in decoded) {
      const { last_id: id, last_value: value } = decoded;
      if (typeof id === 'number' && (typeof value === 'number' || typeof value === 'string'))
        return { id, value };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badRequest('Invalid cursor for current pagination sort.');
}

export function badRequest(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } });
}
