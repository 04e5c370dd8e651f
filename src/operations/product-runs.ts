import { Injectable } from '@nestjs/common';
import { OwedRepository } from '../persistence/owed.repository.js';
import { RunOperations } from './runs.js';
import type { LinkedProduct } from './products.js';

/** Runs for the sake of one product. */
@Injectable()
export class ProductRuns {
  constructor(
    private readonly owed: OwedRepository,
    private readonly runs: RunOperations,
  ) {}

  /**
   * Requests a run that reads this product whatever the watermark says, besides what changed. `created`: false when the store has an
   * active run already; the next one reads the product.
   */
  async request(
    { externalId, store, storeId, label }: LinkedProduct,
    actor: string,
  ): Promise<{ id: string; created: boolean }> {
    const detail = `requested by ${actor}`;
    await this.owed.note(store, [{ externalId, storeId, label, code: 'changed', detail }]);
    return this.runs.request({ store, full: false, trigger: 'api', requestedBy: actor });
  }
}
