import { close, listen } from '../shop-server.js';
import { AppAccess } from './app-access.js';
import { BulkOperations } from './bulk-operations.js';
import { parseProductCsv } from './csv.js';
import type { ImportedProduct } from './csv.js';
import { GraphqlEndpoint } from './graphql-endpoint.js';
import { storeHttpServer } from './http-server.js';
import type { Around } from './http-server.js';
import type { SandboxProduct, ShopLocale } from './model.js';
import { importProduct } from './product-import.js';
import type { MutationEntry } from './request-context.js';
import { loadSchema } from './schema.js';
import { ShopState } from './state.js';
import { Throttle } from './throttle.js';
import type { ThrottleOptions } from './throttle.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookSubscriptions } from './webhook-subscriptions.js';
import type { WebhookSubscription } from './webhook-subscriptions.js';

export { readProductCsv } from './csv.js';
export type { ImportedProduct, ReadExport } from './csv.js';
export { decodeExport } from './export-text.js';
export type { Answer } from '../shop-server.js';
export type { Around, StoreCall } from './http-server.js';
export type { ProductVariant, SandboxProduct, ShopLocale } from './model.js';

export interface StoreSandboxOptions {
  /** Default 0: one that the system picks. */
  readonly port?: number;
  readonly shop?: string;
  /** A token that never expires; default `shpat_sandbox`, null for none. */
  readonly accessToken?: string | null;
  /** Credentials for the token exchange; without them it refuses everybody. The secret signs webhooks. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly apiVersion?: string;
  readonly clock?: () => Date;
  readonly scopes?: readonly string[];
  readonly locales?: readonly ShopLocale[];
  /** How long an export takes, by the clock; default 100. */
  readonly exportMs?: number;
  /** The cost bucket; false: none. */
  readonly throttle?: ThrottleOptions | false;
  /** Key of webhook signatures; default the client secret, or `sandbox-webhook-secret`. */
  readonly webhookSecret?: string;
  readonly around?: Around;
  /** Who may call the API; default the access token, and the app with its credentials. */
  readonly access?: AppAccess;
  /** Called with the sandbox's own failures, which callers see as INTERNAL_SERVER_ERROR. */
  readonly onError?: (error: unknown) => void;
}

export interface RunningStoreSandbox {
  /** Base URL without a slash at its end: what `endpoint` of a store's configuration takes. */
  readonly url: string;
  readonly shop: string;
  /** The permanent token, null when there is none. */
  readonly accessToken: string | null;
  readonly webhookSecret: string;
  /** The shop beside the API: what it holds, and changes that its merchant makes. */
  readonly state: ShopState;
  /** The mutations that ran, in their order. */
  readonly mutations: readonly MutationEntry[];
  /** Loads a product export; every product or none. Throws `invalid` with file, line and column. */
  loadCsv(text: string, file?: string): SandboxProduct[];
  /** Puts products into the shop, as the store's own import does. */
  load(products: readonly ImportedProduct[]): SandboxProduct[];
  webhookSubscriptions(): readonly WebhookSubscription[];
  /** The merchant uninstalls the app: its tokens and subscriptions end, and the store says so to those who subscribed. Returns the event's body. */
  uninstall(): string;
  /** Resolves once all webhooks are delivered or given up and all exports are evaluated. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

export const DEFAULT_SHOP = 'demo-store.myshopify.com';
export const DEFAULT_SCOPES: readonly string[] = [
  'read_products',
  'write_products',
  'read_locales',
  'read_translations',
  'write_translations',
  'read_files',
  'write_files',
];
const DEFAULT_LOCALES: readonly ShopLocale[] = [
  { locale: 'en', primary: true, published: true },
  { locale: 'de', primary: false, published: true },
  { locale: 'fr', primary: false, published: false },
];

/**
 * Starts a store that answers the part of the Admin GraphQL API that store-sync uses, with the habits that real stores were
 * recorded to have. Everything is in memory and gone after `stop`.
 */
export async function startStoreSandbox(options: StoreSandboxOptions = {}): Promise<RunningStoreSandbox> {
  const { shop = DEFAULT_SHOP, scopes = DEFAULT_SCOPES, throttle } = options;
  const { accessToken = 'shpat_sandbox', clientId = null, clientSecret = null } = options;
  const { apiVersion = '2026-10' } = options;
  const now = options.clock ?? (() => new Date());
  const onError = options.onError ?? (() => undefined);
  const webhookSecret = options.webhookSecret ?? clientSecret ?? 'sandbox-webhook-secret';
  let url = '';

  const schema = loadSchema();
  const state = new ShopState({ shop, now, locales: options.locales ?? DEFAULT_LOCALES });
  const sender = new WebhookSender({ shop, apiVersion, secret: webhookSecret, now });
  const webhooks = new WebhookSubscriptions(state, sender);
  const bulk = new BulkOperations(state, schema, options.exportMs ?? 100, () => url, onError);
  const access = options.access ?? new AppAccess({ accessToken, clientId, clientSecret, scopes, now });
  const mutations: MutationEntry[] = [];
  const context = { state, scopes: new Set(scopes), apiVersion, bulk, webhooks, mutations };
  const bucket =
    throttle === false ? null : new Throttle(throttle ?? { capacity: 2000, restoreRate: 100 }, now);
  const endpoint = new GraphqlEndpoint(schema, context, bucket, onError);
  const around = options.around ?? ((_call, proceed) => proceed());
  const server = storeHttpServer({
    endpoint,
    access,
    bulk,
    apiVersion,
    around,
    onError,
  });
  url = await listen(server, options.port ?? 0);
  const load = (products: readonly ImportedProduct[]): SandboxProduct[] =>
    products.map((product) => importProduct(state, product));
  return {
    url,
    shop,
    accessToken,
    webhookSecret,
    state,
    mutations,
    loadCsv: (text, file) => load(parseProductCsv(text, file)),
    load,
    webhookSubscriptions: () => webhooks.all(),
    uninstall: () => {
      access.end();
      return webhooks.endInstallation();
    },
    idle: async () => {
      await bulk.idle();
      await sender.idle();
    },
    stop: async () => {
      await sender.stop();
      await close(server);
      await bulk.idle();
    },
  };
}
