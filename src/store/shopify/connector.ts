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
import { IMAGE_ORIGIN, ShopifyApi } from './api.js';
import { numericId } from './mapper.js';
import type { ShopifyOptions } from './options.js';
import { readConstraints, readTargets } from './target-reader.js';
import { writeTargets } from './target-writer.js';
import { readWhole } from './whole-read.js';

/** A Shopify store. `src/domain/store-port.ts` defines the contract of each method. */
export class ShopifyConnector implements StoreConnector {
  readonly imageOrigins: readonly string[];
  private readonly api: ShopifyApi;
  private readonly query: string;

  /** Throws `misconfigured` for an unusable shop, endpoint, version or credentials. Sends no request. */
  constructor(private readonly options: ShopifyOptions) {
    this.api = new ShopifyApi(options);
    this.imageOrigins = this.api.imageOrigins;
    this.query = options.query ?? '';
  }

  scaledImage(address: URL, width: number): URL {
    const scaled = new URL(address);
    if (address.origin === IMAGE_ORIGIN) scaled.searchParams.set('width', String(width));
    return scaled;
  }

  probe(): Promise<StoreProbe> {
    return this.api.probe();
  }

  readWhole(
    resume: string | null,
    onHandle: (handle: string | null) => Promise<void>,
    options: WholeReadOptions = {},
  ): AsyncIterable<ReadPart> {
    return readWhole(this.api, this.query, { ...options, resume, onHandle, sleep: this.api.sleep });
  }

  abandonRead(handle: string): Promise<void> {
    return this.api.cancelExport(handle);
  }

  readChanged(since: Date): AsyncIterable<readonly SourceProduct[]> {
    return this.api.readPages({ query: this.query, since });
  }

  readProducts(storeIds: readonly string[]): Promise<readonly (SourceProduct | null)[]> {
    return this.api.readProducts(storeIds);
  }

  count(): Promise<number | null> {
    return this.api.countProducts(this.query);
  }

  readTargets(storeId: string, targets: readonly string[]): Promise<LiveProduct | null> {
    return readTargets(this.api, storeId, targets);
  }

  write(
    storeId: string,
    writes: readonly TargetWrite[],
    options: StoreWriteOptions = {},
  ): AsyncIterable<readonly WriteOutcome[]> {
    return writeTargets(this.api, storeId, writes, options);
  }

  constraints(wanted: readonly WantedValue[]): Promise<StoreConstraints> {
    return readConstraints(this.api, wanted);
  }

  async subscribe(uri: string, former: string | null): Promise<void> {
    await this.api.ensureSubscriptions(uri);
    if (former !== null) await this.api.removeSubscriptions(former);
  }

  adminUrl(storeId: string): string {
    return `https://${this.options.shop}/admin/products/${numericId(storeId)}`;
  }

  close(): Promise<void> {
    return this.api.close();
  }
}
