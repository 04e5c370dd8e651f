import type { MetafieldOwner } from '../../domain/metafield-definition.js';
import type { Logger } from '../../runtime/logger.js';
import type { RequestReport } from '../connector-parts.js';
import type { EndpointAuth } from './auth.js';

/** The options of a Shopify connector. Everything that tests need to control is passed in. */
export interface ShopifyOptions {
  /** `name.myshopify.com`. */
  readonly shop: string;
  /** Base URL instead of `https://{shop}`; empty or absent: the shop itself. https, or http on loopback. */
  readonly endpoint?: string | undefined;
  readonly auth: EndpointAuth;
  /** Such as `2026-10`. */
  readonly apiVersion: string;
  /** The store's search that selects the products to read; empty or absent: all. */
  readonly query?: string | undefined;
  /** Scopes that `check` requires besides read_products and write_products. */
  readonly requiredScopes?: readonly string[] | undefined;
  /** Further languages of the shop: products are read in them, and `check` expects them. */
  readonly locales?: readonly string[] | undefined;
  /** Further languages in which metafields are read; a part of `locales`. */
  readonly metafieldLocales?: readonly string[] | undefined;
  /** Metafields that the merchant must have defined, as `namespace.key`, by owner. The check reports the missing ones. */
  readonly definitions?: Readonly<Partial<Record<MetafieldOwner, readonly string[]>>> | undefined;
  /** `namespace.key` of the metafields to read of each variant; at most two. */
  readonly variantMetafields?: readonly string[] | undefined;
  /** Folder for the temporary files of exports; the system's own by default. */
  readonly spillDir?: string | undefined;
  readonly clock?: (() => Date) | undefined;
  readonly sleep?: Sleep | undefined;
  /** A number in [0, 1), for the jitter of repeated calls. */
  readonly random?: (() => number) | undefined;
  /** Called with the points that are left of the store's budget. */
  readonly onBudget?: ((available: number) => void) | undefined;
  readonly onRequest?: ((request: RequestReport) => void) | undefined;
  readonly log?: Logger | undefined;
  readonly limits?: Partial<ShopifyLimits> | undefined;
}

/** Resolves after the given milliseconds, or at once when the signal is aborted; never rejects. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export interface ShopifyLimits {
  /** The time limit of one attempt, and of silence during a download. */
  readonly requestTimeoutMs: number;
  /** The number of attempts of a repeatable call, including the first. */
  readonly attempts: number;
  /** The total wait of one call for the store's refusals (THROTTLED, 429). */
  readonly throttleWaitMs: number;
  /** Products of one walk over pages before the walk starts again by time. The store refuses more than 25,000. */
  readonly pagingCeiling: number;
  readonly pageSize: number;
  /** The intended cost of one call for product details. The store refuses calls over 1,000. */
  readonly detailCost: number;
  readonly detailChunk: number;
  /** Products per batch of a stream of pages. */
  readonly batchSize: number;
  /** Products per batch of an export. */
  readonly exportBatchSize: number;
  /** The largest export. */
  readonly exportBytes: number;
  /** Bytes of one part of an export, which is parsed as a whole. */
  readonly exportPartBytes: number;
}

export const DEFAULT_LIMITS: ShopifyLimits = {
  requestTimeoutMs: 30_000,
  attempts: 4,
  throttleWaitMs: 120_000,
  pagingCeiling: 25_000,
  pageSize: 250,
  detailCost: 400,
  detailChunk: 50,
  batchSize: 100,
  exportBatchSize: 200,
  // The largest export that is read: more than three times that of a store with a million products.
  exportBytes: 8 * 1024 ** 3,
  exportPartBytes: 1024 * 1024,
};
