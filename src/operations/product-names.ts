import { Injectable } from '@nestjs/common';
import { Database } from '../persistence/database.js';
import { HistoryRepository } from '../persistence/history.repository.js';
import { productLabels } from '../persistence/product-labels.js';

/** The names that people know products by, and their images. */
@Injectable()
export class ProductNames {
  constructor(
    private readonly db: Database,
    private readonly history: HistoryRepository,
  ) {}

  /** Titles by external_id. A product that is not known is absent. */
  of(externalIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return productLabels(this.db, externalIds);
  }

  /** Addresses of the stores' own images by external_id. A product without an image is absent. */
  images(externalIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.history.images(externalIds);
  }

  /** The external_id of a product that is not known. */
  async one(externalId: string): Promise<string> {
    return (await this.of([externalId])).get(externalId) ?? externalId;
  }
}
