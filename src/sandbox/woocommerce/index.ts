import { close, listen } from '../shop-server.js';
import { parseProductCsv } from '../store/csv.js';
import type { ImportedProduct } from '../store/csv.js';
import { shopHttpServer } from './http-server.js';
import type { Around } from './http-server.js';
import { importProduct } from './import.js';
import { Keys } from './keys.js';
import type { ApiKey } from './keys.js';
import type { Post } from './model.js';
import { Routes } from './routes.js';
import { Shop } from './shop.js';
import { Webhooks } from './webhooks.js';
import { Writes } from './writes.js';

export type { Post } from './model.js';
export type { Call, Reply } from './routes.js';

export interface WooCommerceSandboxOptions {
  /** Default 0: one that the system picks. */
  readonly port?: number;
  readonly storeId?: string | null;
  readonly consumerKey?: string;
  readonly consumerSecret?: string;
  readonly version?: string;
  /** Active plugins, such as `wordpress-seo/wp-seo.php`; default that one. */
  readonly plugins?: readonly string[];
  /** The shop's time zone, in hours east of Greenwich; default -5. */
  readonly offset?: number;
  readonly clock?: () => Date;
  readonly around?: Around;
  /** Called with the sandbox's own failures, such as a request for what it does not have. */
  readonly onError?: (error: unknown) => void;
}

export interface RunningWooCommerceSandbox {
  /** The shop's address without a slash at its end. */
  readonly url: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  /** What the shop holds, its terms, its zone and its identity. */
  readonly shop: Shop;
  /** Loads a Shopify product export; every product or none. Throws `invalid` with file, line and column. */
  loadCsv(text: string, file?: string): Post[];
  load(products: readonly ImportedProduct[]): Post[];
  addKey(key: ApiKey): void;
  revokeKey(key: string): void;
  /** Resolves once all webhooks are delivered or given up. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const STORE_ID = '7d0d1b52-6a8e-4c7c-9d2f-3f0d3a5e9b11';

/**
 * Starts a shop that answers the part of WooCommerce's REST API v3 that store-sync uses, with the habits that a real shop was
 * recorded to have. Everything is in memory and gone after `stop`.
 */
export async function startWooCommerceSandbox(
  options: WooCommerceSandboxOptions = {},
): Promise<RunningWooCommerceSandbox> {
  const { consumerKey = 'ck_sandbox', consumerSecret = 'cs_sandbox', storeId = STORE_ID } = options;
  const now = options.clock ?? (() => new Date());
  const { offset = -5, version = '10.5.0', plugins = ['wordpress-seo/wp-seo.php'] } = options;
  const shop = new Shop({ now, offset, storeId });
  const webhooks = new Webhooks(shop);
  const keys = new Keys(now, () => shop.homeUrl);
  keys.add({ key: consumerKey, secret: consumerSecret, permissions: 'read_write' });
  const server = shopHttpServer({
    routes: new Routes({ shop, keys, writes: new Writes(shop), webhooks, about: { version, plugins } }),
    now,
    around: options.around ?? ((_call, proceed) => proceed()),
    onError: options.onError ?? (() => undefined),
  });
  const url = await listen(server, options.port ?? 0);
  shop.homeUrl = url;
  return {
    url,
    consumerKey,
    consumerSecret,
    shop,
    loadCsv: (text, file) => parseProductCsv(text, file).map((product) => importProduct(shop, product)),
    load: (products) => products.map((product) => importProduct(shop, product)),
    addKey: (key) => keys.add(key),
    revokeKey: (key) => keys.revoke(key),
    idle: () => webhooks.idle(),
    stop: async () => {
      await webhooks.stop();
      await close(server);
    },
  };
}
