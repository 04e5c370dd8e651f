import { Injectable } from '@nestjs/common';
import { HistoryRepository } from '../persistence/history.repository.js';
import { ListingRepository } from '../persistence/listing.repository.js';
import { SearchRepository, type FoundRow } from '../persistence/search.repository.js';
import { parseExternalId, productExternalId } from '../domain/external-id.js';
import { Connections } from '../connections/connections.js';

export interface FoundProduct {
  readonly externalId: string;
  readonly label: string;
  readonly store: string;
}

export interface SearchResult {
  readonly stores: readonly { readonly store: string; readonly shop: string }[];
  readonly products: readonly FoundProduct[];
  /** Of all matches; `products` has the first of them. */
  readonly productTotal: number;
  /** Runs, write-backs, deliveries and plans whose id begins with the text. */
  readonly rows: readonly FoundRow[];
}

const SHOWN = 20;
const NOTHING: SearchResult = { stores: [], products: [], productTotal: 0, rows: [] };

/** One search over everything that has a name or an id. */
@Injectable()
export class SearchOperations {
  constructor(
    private readonly connections: Connections,
    private readonly listing: ListingRepository,
    private readonly history: HistoryRepository,
    private readonly found: SearchRepository,
  ) {}

  /**
   * Stores match by a part of their key or shop, and rows by the beginning of their id. Products match by a part of their title, handle
   * or external_id, or by a whole SKU or barcode.
   */
  async search(text: string): Promise<SearchResult> {
    if (text === '') return NOTHING;
    const wanted = text.toLowerCase();
    const [products, rows] = await Promise.all([this.#products(text), this.found.byId(wanted, SHOWN)]);
    const stores = this.connections.stores
      .filter(({ key, settings }) => key.toLowerCase().includes(wanted) || settings.shop.includes(wanted))
      .slice(0, SHOWN)
      .map(({ key, settings }) => ({ store: key, shop: settings.shop }));
    return { ...products, stores, rows };
  }

  async #products(text: string): Promise<Pick<SearchResult, 'products' | 'productTotal'>> {
    // The external_id of a variant names its product.
    const ref = parseExternalId(text);
    const search = ref === null ? text : productExternalId(ref.store, ref.productId);
    const { rows, total } = await this.listing.products(
      { limit: SHOWN, offset: 0, order: 'desc' },
      { search },
    );
    const products = rows.map(({ externalId, label, store }) => ({ externalId, label, store }));
    if (total > 0 || !(await this.history.knows(search))) return { products, productTotal: total };
    // A product without a link: only a plan or a delivery names it.
    return { products: [{ externalId: search, label: '', store: '' }], productTotal: 1 };
  }
}
