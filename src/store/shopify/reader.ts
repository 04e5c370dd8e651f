import { isCoded } from '../../domain/errors.js';
import type { SourceProduct } from '../../domain/store-port.js';
import type { PageSelection } from './api-types.js';
import type { ShopifyClient } from './client.js';
import type { ProductDetails } from './details.js';
import { PRODUCTS_COUNT, PRODUCTS_PAGE } from './documents.js';
import { numericId } from './mapper.js';
import type { ShopifyLimits } from './options.js';
import { Cursors } from './pages.js';
import { productsCountData, productsPageData } from './schemas.js';
import { productSearch, requireHeeded } from './search.js';

/** Each takes some twenty characters of the search. */
const IDS_PER_SEARCH = 50;

interface PageEntry {
  readonly id: string;
  /** Null when it is malformed. */
  readonly updatedAt: string | null;
}

/** Reads by pages: first the ids in the order of change, then the products. */
export class PageReader {
  constructor(
    private readonly client: ShopifyClient,
    private readonly details: ProductDetails,
    private readonly limits: ShopifyLimits,
  ) {}

  /**
   * Batches of products, oldest change first, each product once. A product that changes during the walk moves behind
   * the cursor; the next run reads its change. A product that disappears is omitted.
   */
  async *products(selection: PageSelection): AsyncGenerator<readonly SourceProduct[]> {
    // Stored as numbers of eight bytes each, in case of a large store.
    const seen = new Set<number>();
    for await (const entries of this.ids(selection)) {
      const fresh = entries.filter(({ id }) => !seen.has(Number(numericId(id))));
      const unique = [...new Set(fresh.map(({ id }) => id))];
      for (const id of unique) seen.add(Number(numericId(id)));
      for (let at = 0; at < unique.length; at += this.limits.batchSize) {
        const products = await this.details.read(unique.slice(at, at + this.limits.batchSize));
        const existing = products.filter((product) => product !== null);
        if (existing.length > 0) yield existing;
      }
    }
  }

  /**
   * The number of products that match the query, of any status. Null when the store returns no exact number or
   * refuses to count. Throws `invalid` when the store ignored the query.
   */
  async count(query: string): Promise<number | null> {
    const search = productSearch(query);
    try {
      const { data, search: notes } = await this.client.run(
        PRODUCTS_COUNT,
        { query: search },
        productsCountData,
      );
      requireHeeded(notes, search);
      const count = data.productsCount;
      return count?.precision === 'EXACT' ? count.count : null;
    } catch (error) {
      if (isCoded(error, 'invalid') && error.fields === undefined) return null;
      throw error;
    }
  }

  /** Throws `invalid` when the store does not heed all of the query. The notes that say so come with lists of products. */
  async requireHeeded(query: string): Promise<void> {
    const search = productSearch(query);
    const variables = { first: 1, after: null, query: search };
    requireHeeded((await this.client.run(PRODUCTS_PAGE, variables, productsPageData)).search, search);
  }

  /** Those of the products that match the query. The store's search may not know yet what has just changed. */
  async selected(ids: readonly string[], query: string): Promise<ReadonlySet<string>> {
    const selected = new Set<string>();
    for (let from = 0; from < ids.length; from += IDS_PER_SEARCH) {
      const some = ids.slice(from, from + IDS_PER_SEARCH);
      const search = `${some.map((id) => `id:${numericId(id)}`).join(' OR ')} ${productSearch(query)}`;
      const variables = { first: some.length, after: null, query: search };
      const answer = await this.client.run(PRODUCTS_PAGE, variables, productsPageData);
      requireHeeded(answer.search, search);
      for (const { id } of answer.data.products.nodes) selected.add(id);
    }
    return selected;
  }

  /** Pages of ids. The walk starts again by time before it reaches the store's limit, so ids may occur twice. */
  private async *ids(selection: PageSelection): AsyncGenerator<readonly PageEntry[]> {
    const { pageSize, pagingCeiling } = this.limits;
    // Each run has asked the store who it is before.
    let since = selection.since && new Date(selection.since.getTime() - this.client.behindMs);
    let after: string | null = null;
    let walked = 0;
    let cursors = new Cursors();
    for (;;) {
      const query = productSearch(selection.query, since);
      const variables = { first: pageSize, after, query };
      const { data, search } = await this.client.run(PRODUCTS_PAGE, variables, productsPageData);
      requireHeeded(search, query);
      const { nodes, pageInfo } = data.products;
      yield nodes;
      if (!pageInfo.hasNextPage) return;
      walked += nodes.length;
      const last = nodes.at(-1);
      const reached = last?.updatedAt == null ? null : new Date(last.updatedAt);
      // If one instant alone has more products than the limit, time does not help, so the cursor continues.
      const leadsOn = reached !== null && (since === null || toSeconds(reached) > toSeconds(since));
      if (walked + pageSize > pagingCeiling && leadsOn) {
        since = reached;
        after = null;
        walked = 0;
        cursors = new Cursors();
        continue;
      }
      after = cursors.next(pageInfo);
    }
  }
}

function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
