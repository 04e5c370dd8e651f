import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CodedError, isCoded } from '../domain/errors.js';
import { clipped } from '../domain/text.js';
import { pageSchema } from './schemas.js';
import { idOf, isRecord } from '../runtime/untrusted-json.js';

export interface Page<T> {
  readonly results: readonly T[];
  /** The `next` of the service, absolute or relative; null on the last page, and on an empty one, where a walk ends. */
  readonly next: string | null;
  readonly previous: string | null;
  /** The service's count of the whole list; null when it has none. */
  readonly count: number | null;
  /** A hash of the ids in their order, by which a repeated page is recognised; absent where an entry has no id. */
  readonly key?: string | undefined;
}

/** An entry of a list that does not fit the interface. The entries beside it are used. */
export interface MalformedItem {
  /** As the service returned it; null when it has none. */
  readonly id: string | null;
  readonly problem: string;
}

type OnMalformed = (item: MalformedItem) => void;

/**
 * A list as a page or as an array. Entries are parsed one by one: a malformed one is left out and reported.
 */
export function listSchema<Item extends z.ZodType>(item: Item, onMalformed: OnMalformed = () => undefined) {
  return z.union([pageSchema(z.unknown()), z.array(z.unknown())]).transform((list): Page<z.output<Item>> => {
    const entries = Array.isArray(list) ? list : list.results;
    const results = parsedEntries(item, entries, onMalformed);
    if (Array.isArray(list)) return { results, next: null, previous: null, count: list.length };
    return {
      results,
      next: entries.length === 0 ? null : textOrNull(list.next),
      previous: textOrNull(list.previous),
      count: list.count ?? null,
      key: keyOf(entries),
    };
  });
}

function keyOf(entries: readonly unknown[]): string | undefined {
  const ids = entries.map((entry) => (isRecord(entry) ? idOf(entry['id']) : undefined));
  if (ids.length === 0 || ids.includes(undefined)) return undefined;
  return createHash('sha256').update(JSON.stringify(ids)).digest('base64');
}

function parsedEntries<Item extends z.ZodType>(
  item: Item,
  entries: readonly unknown[],
  onMalformed: OnMalformed,
): z.output<Item>[] {
  const results: z.output<Item>[] = [];
  for (const entry of entries) {
    const parsed = item.safeParse(entry);
    if (parsed.success) results.push(parsed.data);
    else onMalformed({ id: idOfEntry(entry), problem: problemOf(parsed.error) });
  }
  return results;
}

function idOfEntry(entry: unknown): string | null {
  const id = isRecord(entry) ? (idOf(entry['external_id']) ?? idOf(entry['id'])) : undefined;
  return id === undefined ? null : clipped(id, 200);
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue === undefined ? 'unreadable' : `${issue.path.join('.')}: ${issue.message}`;
}

function textOrNull(value: string | null | undefined): string | null {
  return value === undefined || value === '' ? null : value;
}

export interface PageWalk<T> {
  readonly firstUrl: URL;
  readonly fetch: (url: URL) => Promise<Page<T>>;
  readonly resolve: (next: string, current: URL) => URL;
}

const MOST_PAGES = 100_000;
/** Pages beyond those that the service's own count explains: a list may grow while it is read. */
const SPARE_PAGES = 10;
/** The longest address of a next page that a server commonly takes. */
const LONGEST_NEXT = 8_000;

/**
 * All pages of a list, following only `next` (docs/catalog-rules.md, LIST-23). Ends at a page without `next`, at an empty
 * page, and at a repeated `next`. If the list changes during the walk, an item may occur twice. `first` is the first page
 * where the caller has read it already. Throws `transient` when a page has disappeared, so that an incomplete walk never
 * counts as complete. Throws `misconfigured` for a list that does not end: at a repeated page, at twice as many pages as the service's
 * count explains, and after 100,000 pages.
 */
export async function* walkPages<T>(walk: PageWalk<T>, first?: Page<T>): AsyncGenerator<Page<T>, undefined> {
  const seen = new Set<string>();
  const keys = new Set<string>();
  let longest = 1;
  let url = walk.firstUrl;
  while (!seen.has(url.href)) {
    const current: URL = url;
    const isFirst = seen.size === 0;
    const page: Page<T> = isFirst && first !== undefined ? first : await fetchPage(walk, current, isFirst);
    seen.add(current.href);
    if (page.key !== undefined && keys.has(page.key)) throw endless('shows a page a second time');
    if (page.key !== undefined) keys.add(page.key);
    yield page;
    if (page.next === null) return undefined;
    longest = Math.max(longest, page.results.length);
    const explained = page.count === null ? MOST_PAGES : 2 * Math.ceil(page.count / longest) + SPARE_PAGES;
    if (seen.size >= Math.min(explained, MOST_PAGES)) {
      throw endless(`goes on after ${String(seen.size)} pages`);
    }
    if (page.next.length > LONGEST_NEXT) throw endless('names a next page by an address that is too long');
    url = walk.resolve(page.next, current);
  }
  return undefined;
}

function endless(what: string): CodedError {
  return new CodedError('misconfigured', `catalog list does not end: it ${what}`);
}

/** The items of pages, in order. */
export async function* itemsOf<T>(pages: AsyncIterable<Page<T>>): AsyncGenerator<T, undefined> {
  for await (const page of pages) yield* page.results;
  return undefined;
}

async function fetchPage<T>(walk: PageWalk<T>, url: URL, first: boolean): Promise<Page<T>> {
  try {
    return await walk.fetch(url);
  } catch (error) {
    if (first || !isCoded(error, 'not_found')) throw error;
    throw new CodedError('transient', 'catalog list changed while it was read: a page has gone', {
      cause: error,
    });
  }
}
