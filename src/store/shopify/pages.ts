import { CodedError } from '../../domain/errors.js';

export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor?: string | null | undefined;
}

/**
 * What `read` answers for each page of a connection; null begins at the first page. It ends with an answer that has no connection.
 * Throws `transient` as `nextCursor` does.
 */
export async function* pagesOf<Page>(
  read: (after: string | null) => Promise<Page>,
  connectionOf: (page: Page) => { readonly pageInfo: PageInfo } | null | undefined,
): AsyncGenerator<Page> {
  for (let after: string | null = null; ;) {
    const page: Page = await read(after);
    yield page;
    const { pageInfo } = connectionOf(page) ?? {};
    if (pageInfo?.hasNextPage !== true) return;
    after = nextCursor(pageInfo, after);
  }
}

/** The cursor of the next page. Throws `transient` when the store promises one but does not lead to it. */
export function nextCursor({ endCursor = null }: PageInfo, after: string | null): string {
  if (endCursor !== null && endCursor !== after) return endCursor;
  throw new CodedError('transient', 'the store promises a further page but does not lead to it');
}
