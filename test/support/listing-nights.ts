import type { SyncRunEntity } from '../../src/persistence/entities/index.js';
import { Gate } from './call-script.js';
import { sqlRows } from './sql.js';
import type { Stages } from './stages.js';
import { until } from './until.js';

/** Nights of stores that share the catalog's listing, and what they read of it. */
export class ListingNights {
  constructor(private readonly stages: Stages) {}

  /** Works a full run of the schedule to its end. */
  readonly run = async (store: string): Promise<SyncRunEntity> => {
    const { id } = await this.stages.requests.request({ store, full: true, trigger: 'schedule' });
    return this.stages.work(id);
  };

  /** Requests for pages of the listing since the last call. */
  readonly pagesRead = (): number => {
    const { script } = this.stages.catalog;
    const pages = script.count('listProducts') + script.count('iterateProducts');
    script.forget();
    return pages;
  };

  /** Fills the catalog with foreign products up to this number, in pages of as many as are written together. */
  readonly fill = (products: number): void => {
    const { catalog } = this.stages;
    catalog.pageSize = 500;
    while (catalog.products.size < products)
      catalog.hold({ external_id: `erp:${String(catalog.products.size)}` });
  };

  /** Holds this request for a page of the next listing; the first one is 1. */
  readonly gateAtPage = (page: number): Gate => {
    const gate = new Gate();
    this.stages.catalog.script.before('listProducts', () => undefined, page - 1);
    this.stages.catalog.script.before('listProducts', gate.hold);
    return gate;
  };

  readonly listings = () =>
    sqlRows<{ id: string; products: string; complete: boolean }>(
      this.stages.db,
      'SELECT id, products, complete FROM catalog_listing ORDER BY id',
    );

  readonly listingIsThere = () =>
    until('the listing', async () => {
      const [row] = await sqlRows(this.stages.db, 'SELECT id FROM catalog_listing WHERE read_at IS NOT NULL');
      return row !== undefined;
    });

  /** As after a crash of the database server. */
  readonly forget = async (): Promise<void> => {
    await this.stages.db.affected('TRUNCATE catalog_listing, catalog_listed');
  };
}
