import { z } from 'zod';
import { CodedError, isCoded } from '../../domain/errors.js';
import type { Call, WooClient } from './client.js';

const PAGE = 100;
/** How far back a page is asked for when something before it left the list. */
const STEP_BACK = 25;
/** Entries that the key may not read look like entries that left. */
const MOST_BACK = 40;
/** Pages in a row that show nothing new. More than that are no entries that the key may not read, but a list without an end. */
const MOST_BARE = 1_000;

const idRow = z.object({ id: z.int() });

export interface WalkedPage<T> {
  readonly rows: readonly T[];
  /** The number of entries that the shop counts; null where it names none. */
  readonly total: number | null;
}

/** Makes a read, perhaps more than once. */
export type Attempted = <T>(read: () => Promise<T>) => Promise<T>;

/**
 * The rows of a list in the order of their ids, each once. Pages shift when an entry leaves the list, so each page begins at a row that
 * was read already; where it does not, the walk steps back until it does. New entries come at the end.
 * Throws `misconfigured` for a list in another order, and for one that goes on without showing anything new.
 */
export async function* walk<T extends { readonly id: number }>(
  client: Pick<WooClient, 'run'>,
  { path, query = {} }: Pick<Call, 'path' | 'query'>,
  row: z.ZodType<T>,
  /** Reads rows by their ids where the shop fails to answer a page of them. Absent: such a failure ends the walk. */
  byIds?: (ids: readonly string[]) => Promise<T[]>,
  attempted: Attempted = (read) => read(),
): AsyncGenerator<WalkedPage<T>> {
  let last = 0;
  let backs = 0;
  let bare = 0;
  for (let offset = 0; ;) {
    const asked = { ...query, orderby: 'id', order: 'asc', per_page: String(PAGE), offset: String(offset) };
    const { data, total } = await attempted(() =>
      client.run({ path, query: asked }, row.array()).catch(async (error: unknown) => {
        if (byIds === undefined || !isCoded(error, 'transient')) throw error;
        const ids = await client.run({ path, query: { ...asked, _fields: 'id' } }, idRow.array());
        return { ...ids, data: await byIds(ids.data.map(({ id }) => String(id))) };
      }),
    );
    if (data.some(({ id }, index) => index > 0 && id <= (data[index - 1]?.id ?? 0)))
      throw new CodedError(
        'misconfigured',
        `the shop gives its list ${path} in another order than it was asked for: a plugin sorts it`,
        { side: 'store' },
      );
    const first = data[0];
    const isJoined = first === undefined ? total !== null && offset < total : first.id <= last;
    if (!isJoined && offset > 0 && backs < MOST_BACK) {
      offset = Math.max(0, offset - STEP_BACK);
      backs += 1;
      continue;
    }
    const rows = data.filter(({ id }) => id > last);
    if (rows.length > 0) backs = 0;
    bare = rows.length > 0 ? 0 : bare + 1;
    if (bare > MOST_BARE)
      throw new CodedError(
        'misconfigured',
        `the shop’s list ${path} does not end: ${String(bare)} pages show nothing new`,
        { side: 'store' },
      );
    last = rows.at(-1)?.id ?? last;
    yield { rows, total };
    const seen = offset + data.length;
    // A page may be short of entries that the key may not read, while the total counts them.
    if (total === null ? data.length < PAGE : seen >= total) return;
    offset = rows.length === 0 ? offset + PAGE - 1 : Math.max(offset + 1, seen - 1);
  }
}
