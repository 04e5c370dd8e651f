import { once } from 'node:events';
import type { Server } from 'node:http';
import { CodedError } from '../../domain/errors.js';
import { AccessTokens } from './access-tokens.js';
import { Authorization } from './authorization.js';
import { BulkOperations } from './bulk-operations.js';
import type { BulkMode } from './bulk-operations.js';
import { parseProductCsv } from './csv.js';
import type { ImportedProduct } from './csv.js';
import { Faults } from './faults.js';
import type { FaultScope } from './faults.js';
import { GraphqlEndpoint } from './graphql-endpoint.js';
import { storeHttpServer } from './http-server.js';
import type { HttpParts } from './http-server.js';
import { emptyLedger } from './ledger.js';
import type { Ledger } from './ledger.js';
import { Merchant } from './merchant.js';
import type { SandboxProduct, ShopLocale } from './model.js';
import { importProduct } from './product-import.js';
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
export type { BulkMode } from './bulk-operations.js';
export type { FaultScope } from './faults.js';
export type { Ledger } from './ledger.js';
export type { MerchantEdit } from './merchant.js';
export type { ProductVariant, SandboxProduct, ShopLocale } from './model.js';

export interface StoreSandboxOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: one that the system picks. */
  readonly port?: number;
  readonly shop?: string;
  /** A token that never expires; default `shpat_sandbox`, null for none. */
  readonly accessToken?: string | null;
  /** Credentials for the token exchange; without them it refuses everybody. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Life of exchanged tokens in seconds; default one day. */
  readonly tokenLifetimeSeconds?: number;
  /** Life of tokens that the merchant's consent gives; default an hour, and 90 days for their refresh tokens. */
  readonly offlineLifetimeSeconds?: number;
  readonly refreshLifetimeSeconds?: number;
  /** Addresses that the consent page may lead to; default any. */
  readonly redirectUrls?: readonly string[];
  readonly apiVersion?: string;
  readonly clock?: () => Date;
  readonly scopes?: readonly string[];
  readonly locales?: readonly ShopLocale[];
  readonly bulk?: {
    readonly enabled?: boolean;
    /** How long an export takes, by the clock; default 100. */
    readonly delayMs?: number;
    /** Whether children stand right behind their parents; default true. */
    readonly grouped?: boolean;
    readonly mode?: BulkMode;
  };
  /** The cost bucket; false: none. */
  readonly throttle?: Partial<ThrottleOptions> | false;
  /** How long searches keep seeing the past; default 0. */
  readonly searchLagMs?: number;
  /** How long after a write `updatedAt` moves again; default 0. */
  readonly updatedAtLagMs?: number;
  readonly webhooks?: {
    /** Key of the signatures; default the client secret, or `sandbox-webhook-secret`. */
    readonly secret?: string;
    /** Waits before further attempts; default none: a delivery is tried once. */
    readonly retryDelaysMs?: readonly number[];
    readonly timeoutMs?: number;
  };
}

export interface RunningStoreSandbox {
  /** Base URL without a slash at its end: what `endpoint` of a store's configuration takes. */
  readonly url: string;
  readonly shop: string;
  /** The permanent token, null when there is none. */
  readonly accessToken: string | null;
  readonly webhookSecret: string;
  /** The merchant's side: reads and edits beside the API. */
  readonly products: Merchant;
  readonly ledger: Ledger;
  /** Loads a product export; every product or none. Throws `invalid` with file, line and column. */
  loadCsv(text: string, file?: string): SandboxProduct[];
  /** Puts products into the shop, as the store's own import does. */
  load(products: readonly ImportedProduct[]): SandboxProduct[];
  webhookSubscriptions(): readonly WebhookSubscription[];

  /** The next requests are answered THROTTLED. */
  throttleNext(count?: number, scope?: Omit<FaultScope, 'count'>): void;
  /** The next request (or `count`) is answered with this status; `retryAfterSeconds` becomes its header. */
  failNext(status: number, scope?: FaultScope & { readonly retryAfterSeconds?: number }): void;
  /** The next request's connection is cut: before it is carried out, or after it. Default before. */
  resetNext(scope?: FaultScope & { readonly when?: 'before' | 'after' }): void;
  clearFaults(): void;
  /** How exports that start from now on go; `access_denied` refuses to start them. */
  setBulkMode(mode: BulkMode): void;
  /** Ends exchanged tokens, and the permanent one where asked. */
  revokeTokens(which?: { readonly permanent: boolean }): void;
  /** The merchant uninstalls the app: its tokens and subscriptions end, and the store says so to those who subscribed. */
  uninstall(): void;
  /** A query with the store's signature. */
  signedQuery(values: Readonly<Record<string, string>>): string;
  /** Resolves once all webhooks are delivered or given up and all exports are evaluated. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const DEFAULT_SCOPES = [
  'read_products',
  'write_products',
  'read_locales',
  'read_translations',
  'write_translations',
  'read_files',
  'write_files',
];
const DEFAULT_LOCALES: readonly ShopLocale[] = [
  { locale: 'en', name: 'English', primary: true, published: true },
  { locale: 'de', name: 'German', primary: false, published: true },
  { locale: 'fr', name: 'French', primary: false, published: false },
];
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/**
 * Starts a store that answers the part of the Admin GraphQL API that store-sync uses, with the habits that real stores were
 * recorded to have. Everything is in memory and gone after `stop`.
 */
export async function startStoreSandbox(options: StoreSandboxOptions = {}): Promise<RunningStoreSandbox> {
  let url = '';
  const parts = assemble(options, () => url);
  const { state, settings, ledger, faults, bulk, webhooks, sender, tokens, authorization } = parts;
  const server = storeHttpServer(parts);
  url = await listen(server, options.host ?? '127.0.0.1', options.port ?? 0);
  return {
    url,
    ...settings,
    products: new Merchant(state),
    ledger,
    loadCsv: (text, file) => parseProductCsv(text, file).map((product) => importProduct(state, product)),
    load: (products) => products.map((product) => importProduct(state, product)),
    webhookSubscriptions: () => webhooks.all(),
    throttleNext: (count = 1, scope = {}) => faults.arm({ kind: 'throttle' }, { ...scope, count }),
    failNext: (status, { retryAfterSeconds, ...scope } = {}) =>
      faults.arm({ kind: 'status', status, retryAfterSeconds: retryAfterSeconds ?? null }, scope),
    resetNext: ({ when = 'before', ...scope } = {}) => faults.arm({ kind: 'reset', when }, scope),
    clearFaults: () => faults.clear(),
    setBulkMode: (mode) => {
      bulk.mode = mode;
    },
    revokeTokens: (which = { permanent: false }) => tokens.revoke(which),
    uninstall: () => {
      tokens.revoke({ permanent: true });
      webhooks.endInstallation();
    },
    signedQuery: (values) => authorization.signed(values),
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

interface Settings {
  readonly shop: string;
  readonly accessToken: string | null;
  readonly webhookSecret: string;
}

interface Parts extends HttpParts {
  readonly settings: Settings;
  readonly state: ShopState;
  readonly webhooks: WebhookSubscriptions;
  readonly sender: WebhookSender;
}

function assemble(options: StoreSandboxOptions, baseUrl: () => string): Parts {
  const { shop = 'demo-store.myshopify.com', apiVersion = '2026-10', scopes = DEFAULT_SCOPES } = options;
  const now = options.clock ?? (() => new Date());
  const settings: Settings = {
    shop,
    accessToken: options.accessToken === undefined ? 'shpat_sandbox' : options.accessToken,
    webhookSecret: options.webhooks?.secret ?? options.clientSecret ?? 'sandbox-webhook-secret',
  };
  const ledger = emptyLedger();
  const schema = loadSchema();

  const { searchLagMs = 0, updatedAtLagMs = 0, locales = DEFAULT_LOCALES } = options;
  const state = new ShopState({ shop, now, searchLagMs, updatedAtLagMs, locales });
  const { retryDelaysMs = [], timeoutMs = 5000 } = options.webhooks ?? {};
  const secret = settings.webhookSecret;
  const sender = new WebhookSender({ shop, apiVersion, secret, retryDelaysMs, timeoutMs, now }, ledger);
  const webhooks = new WebhookSubscriptions(state, sender, apiVersion);
  const { enabled = true, delayMs = 100, grouped = true, mode = 'ok' } = options.bulk ?? {};
  const onError = (error: unknown): void => void ledger.internalErrors.push(error);
  const bulk = new BulkOperations(state, schema, { enabled, delayMs, grouped }, baseUrl, onError);
  bulk.mode = mode;
  const authorization = new Authorization({
    shop,
    now,
    redirectUrls: options.redirectUrls ?? null,
    clientId: options.clientId ?? null,
    clientSecret: options.clientSecret ?? null,
  });
  const tokens = new AccessTokens({
    accessToken: settings.accessToken,
    clientId: options.clientId ?? null,
    clientSecret: options.clientSecret ?? null,
    lifetimeSeconds: options.tokenLifetimeSeconds ?? DAY_SECONDS,
    offlineLifetimeSeconds: options.offlineLifetimeSeconds ?? HOUR_SECONDS,
    refreshLifetimeSeconds: options.refreshLifetimeSeconds ?? 90 * DAY_SECONDS,
    scopes,
    now,
    redeem: (code) => authorization.redeem(code),
  });
  const context = { state, scopes: new Set(scopes), apiVersion, bulk, webhooks };
  const endpoint = new GraphqlEndpoint(schema, context, throttleOf(options.throttle, now), ledger);
  const faults = new Faults();
  return {
    settings,
    state,
    ledger,
    sender,
    webhooks,
    bulk,
    tokens,
    authorization,
    endpoint,
    faults,
    apiVersion,
    now,
  };
}

function throttleOf(options: Partial<ThrottleOptions> | false | undefined, now: () => Date): Throttle | null {
  if (options === false) return null;
  return new Throttle({ capacity: options?.capacity ?? 2000, restoreRate: options?.restoreRate ?? 100 }, now);
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  // Rejects with the server's own error, such as a port that is taken.
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new CodedError('misconfigured', 'the sandbox store has no port');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
