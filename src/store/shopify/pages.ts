import { CodedError } from '../../domain/errors.js';

export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor?: string | null | undefined;
}

/** The cursors of one walk over pages. */
export class Cursors {
  readonly #seen = new Set<string>();

  /** The cursor of the next page. Throws `transient` when the store promises one but leads to none, or to one that was read. */
  next({ endCursor }: PageInfo): string {
    if (endCursor == null || this.#seen.has(endCursor))
      throw new CodedError('transient', 'the store promises a further page but does not lead to it');
    this.#seen.add(endCursor);
    return endCursor;
  }
}

/**
 * What `read` answers for each page of a connection; null begins at the first page. It ends with an answer that has no connection.
 * Throws what `Cursors.next` throws.
 */
export async function* pagesOf<Page>(
  read: (after: string | null) => Promise<Page>,
  connectionOf: (page: Page) => { readonly pageInfo: PageInfo } | null | undefined,
): AsyncGenerator<Page> {
  const cursors = new Cursors();
  for (let after: string | null = null; ;) {
    const page: Page = await read(after);
    yield page;
    const { pageInfo } = connectionOf(page) ?? {};
    if (pageInfo?.hasNextPage !== true) return;
    after = cursors.next(pageInfo);
  }
}
