import type {
  KeptIdentity,
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
import { isCoded } from '../../domain/errors.js';
import { type ClientSettings, WooClient } from './client.js';
import { shopFindings } from './findings.js';
import { metaNames } from './meta.js';
import { WooReader } from './reader.js';
import { WooShop } from './shop.js';
import { ensureWebhooks, removeWebhooks } from './subscriptions.js';
import { WooTargets } from './targets.js';

export interface WooOptions extends ClientSettings {
  readonly webhookSecret?: string | undefined;
  /** The namespace whose metafields are kept under its name as a prefix; null for none. */
  readonly namespace?: string | null;
  /** `namespace.key` of the metafields that results are written to. */
  readonly attributes?: readonly string[];
  readonly variantMetafields?: readonly string[];
  readonly identity?: KeptIdentity | undefined;
}

/** A WooCommerce shop (REST v3). `src/domain/store-port.ts` defines the contract of each method. */
export class WooConnector implements StoreConnector {
  readonly imageOrigins: readonly string[];
  private readonly client: WooClient;
  private readonly shop: WooShop;
  private readonly reader: WooReader;
  private readonly targets: WooTargets;

  /** Sends no request. */
  constructor(private readonly options: WooOptions) {
    const { namespace = null, attributes = [], variantMetafields = [] } = options;
    const names = metaNames(namespace, attributes);
    this.imageOrigins = [new URL(options.url).origin];
    this.client = new WooClient(options);
    this.shop = new WooShop(this.client, options.identity);
    const scope = { metaNames: names, variantMetafields };
    this.reader = new WooReader(this.client, this.shop, scope, options.awayMostMs);
    this.targets = new WooTargets(this.client, this.shop, names);
  }

  scaledImage(address: URL): URL {
    return address;
  }

  async probe(): Promise<StoreProbe> {
    const facts = await this.shop.facts({ fresh: true });
    const name = await this.#name();
    const mayWrite = await this.targets.mayWrite();
    return {
      identity: facts.identity,
      name,
      servedVersion: null,
      mayWriteProducts: mayWrite,
      findings: () => {
        const { url, webhookSecret } = this.options;
        const isPlain = url.startsWith('http:');
        return Promise.resolve(
          shopFindings(facts, { mayWrite, secret: webhookSecret !== undefined, isPlain }),
        );
      },
    };
  }

  /** Empty where a plugin hides the index from visitors: for the index, the key is no sign-in. */
  async #name(): Promise<string> {
    try {
      return (await this.client.index()).name;
    } catch (error) {
      if (isCoded(error, 'auth', 'unavailable')) return '';
      throw error;
    }
  }

  /** By pages, which leave nothing behind in the shop: there is no handle. */
  async *readWhole(
    resume: string | null,
    onHandle: (handle: string | null) => Promise<void>,
    { signal }: WholeReadOptions = {},
  ): AsyncGenerator<ReadPart> {
    if (resume !== null) await onHandle(null);
    yield* this.reader.whole(signal);
  }

  abandonRead(): Promise<void> {
    return Promise.resolve();
  }

  readChanged(since: Date): AsyncIterable<readonly SourceProduct[]> {
    return this.reader.changed(since);
  }

  readProducts(storeIds: readonly string[]): Promise<readonly (SourceProduct | null)[]> {
    return this.reader.byId(storeIds);
  }

  count(): Promise<number | null> {
    return this.reader.count();
  }

  readTargets(storeId: string, targets: readonly string[]): Promise<LiveProduct | null> {
    return this.targets.read(storeId, targets);
  }

  write(
    storeId: string,
    writes: readonly TargetWrite[],
    options: StoreWriteOptions = {},
  ): AsyncIterable<readonly WriteOutcome[]> {
    return this.targets.write(storeId, writes, options);
  }

  /** The shop takes any text. */
  constraints(_wanted: readonly WantedValue[]): Promise<StoreConstraints> {
    return Promise.resolve({
      freeText: true,
      definitions: { product: new Map(), variant: new Map() },
      categories: new Map(),
    });
  }

  async subscribe(uri: string, former: string | null): Promise<void> {
    await ensureWebhooks(this.client, uri, this.options.webhookSecret);
    if (former !== null) await removeWebhooks(this.client, former);
  }

  adminUrl(storeId: string): string {
    return `${this.options.url}/wp-admin/post.php?post=${encodeURIComponent(storeId)}&action=edit`;
  }

  close(): Promise<void> {
    this.client.close();
    return Promise.resolve();
  }
}
