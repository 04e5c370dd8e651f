import { Injectable } from '@nestjs/common';
import { Database } from '../persistence/database.js';
import { productLabels } from '../persistence/product-labels.js';

/** The names that people know products by. */
@Injectable()
export class ProductNames {
  constructor(private readonly db: Database) {}

  /** By external_id. A product that is not known is absent. */
  of(externalIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return productLabels(this.db, externalIds);
  }

  /** The external_id of a product that is not known. */
  async one(externalId: string): Promise<string> {
    return (await this.of([externalId])).get(externalId) ?? externalId;
  }
}
