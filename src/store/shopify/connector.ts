import type {
  LiveProduct,
  ReadPart,
  SourceProduct,
  StoreConnector,
  StoreConstraints,
  StoreProbe,
  StoreWriteOptions,
  TargetWrite,
  WantedValue,
  WholeReadOptions,
  WriteOutcome,
} from '../../domain/store-port.js';
import { probeStore } from './checks.js';
import { numericId } from './mapper.js';
import type { ShopifyOptions } from './options.js';
import { type ShopifyParts, shopifyParts } from './parts.js';
import { ensureSubscriptions, removeSubscriptions } from './subscriptions.js';
import { readConstraints, readTargets } from './target-reader.js';
import { writeTargets } from './target-writer.js';
import { readWhole } from './whole-read.js';

/** The host of the images of all stores. */
const IMAGE_ORIGIN = 'https://cdn.shopify.com';

/** A Shopify store. `src/domain/store-port.ts` defines the contract of each method. */
export class ShopifyConnector implements StoreConnector {
  readonly imageOrigins: readonly string[];
  readonly parts: ShopifyParts;
  private readonly query: string;

  /** Throws `misconfigured` for an unusable shop, endpoint, version or credentials. Sends no request. */
  constructor(private readonly options: ShopifyOptions) {
    this.parts = shopifyParts(options);
    this.imageOrigins = options.endpoint ? [IMAGE_ORIGIN, this.parts.base.origin] : [IMAGE_ORIGIN];
    this.query = (options.query ?? '').trim();
  }

  scaledImage(address: URL, width: number): URL {
    const scaled = new URL(address);
    if (address.origin === IMAGE_ORIGIN) scaled.searchParams.set('width', String(width));
    return scaled;
  }

  probe(): Promise<StoreProbe> {
    return probeStore(this.parts, this.options);
  }

  readWhole(
    resume: string | null,
    onHandle: (handle: string | null) => Promise<void>,
    options: WholeReadOptions = {},
  ): AsyncIterable<ReadPart> {
    return readWhole(this.parts, this.query, { ...options, resume, onHandle });
  }

  abandonRead(handle: string): Promise<void> {
    return this.parts.exports.cancel(handle);
  }

  readChanged(since: Date): AsyncIterable<readonly SourceProduct[]> {
    return this.parts.pages.products({ query: this.query, since });
  }

  async readProducts(storeIds: readonly string[]): Promise<readonly (SourceProduct | null)[]> {
    const products = await this.parts.details.read(storeIds);
    if (this.query === '') return products;
    const selected = await this.parts.pages.selected(storeIds, this.query);
    return products.map((product) =>
      product === null || selected.has(product.storeId) ? product : { ...product, isLeftOut: true },
    );
  }

  count(): Promise<number | null> {
    return this.parts.pages.count(this.query);
  }

  readTargets(storeId: string, targets: readonly string[]): Promise<LiveProduct | null> {
    return readTargets(this.parts, storeId, targets);
  }

  write(
    storeId: string,
    writes: readonly TargetWrite[],
    options: StoreWriteOptions = {},
  ): AsyncIterable<readonly WriteOutcome[]> {
    return writeTargets(this.parts, storeId, writes, options);
  }

  constraints(wanted: readonly WantedValue[]): Promise<StoreConstraints> {
    return readConstraints(this.parts, wanted);
  }

  async subscribe(uri: string, former: string | null): Promise<void> {
    await ensureSubscriptions(this.parts.client, uri);
    if (former !== null) await removeSubscriptions(this.parts.client, former);
  }

  adminUrl(storeId: string): string {
    return `https://${this.options.shop}/admin/products/${numericId(storeId)}`;
  }

  close(): Promise<void> {
    this.parts.client.close();
    return Promise.resolve();
  }
}
