import type { CatalogProduct } from '../catalog/schemas.js';
import { valueHash } from '../domain/written-content.js';
import type { StoreProductEntity } from '../persistence/entities/index.js';
import type { ResultRepository } from '../persistence/result.repository.js';
import { holdsNewContent, intendedContent, type CatalogFields } from '../planner/catalog-content.js';
import { contentFingerprint } from '../planner/content-fingerprint.js';
import type { Connections } from '../connections/connections.js';

/** Distinguishes a result from the catalog product's earlier content. */
export class NewContent {
  constructor(
    private readonly connections: Connections,
    private readonly results: ResultRepository,
  ) {}

  /**
   * True when the product holds content that is neither what it held `before` nor what we pushed. Where what it held is not known
   * (a link of an earlier release), content counts as new that is not pushed and that no result brought.
   */
  async since(
    link: StoreProductEntity,
    before: CatalogFields | null,
    product: CatalogProduct,
  ): Promise<boolean> {
    const store = this.connections.findStore(link.store);
    if (!store) return false;
    const { writeBack } = store.settings;
    const pushed: Readonly<Record<string, string>> = link.pushedFields;
    if (before !== null) return holdsNewContent(product, before, pushed, writeBack);
    const intended = intendedContent(product, writeBack);
    const isPushed = (from: string, raw: string | null): boolean =>
      raw !== null && pushed[from] === valueHash(raw);
    if (intended.every(({ from, raw }) => isPushed(from, raw))) return false;
    return !(await this.results.hasContent(link.externalId, contentFingerprint(intended)));
  }
}
