import { Injectable } from '@nestjs/common';
import { HistoryRepository } from '../persistence/history.repository.js';

/** The names that people know products by, and their images. */
@Injectable()
export class ProductNames {
  constructor(private readonly history: HistoryRepository) {}

  /** Titles by external_id. A product that is not known is absent. */
  of(externalIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.history.labels(externalIds);
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
