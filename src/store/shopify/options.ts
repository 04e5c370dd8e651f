import type { Logger } from '../../runtime/logger.js';
import type { EndpointAuth } from './auth.js';

/** What a Shopify connector is made of. Everything that a test must be able to hold still is passed in. */
export interface ShopifyOptions {
  /** `name.myshopify.com`. */
  readonly shop: string;
  /** Base URL in place of `https://{shop}`; empty or absent: the shop itself. https, or http on loopback. */
  readonly endpoint?: string | undefined;
  readonly auth: EndpointAuth;
  /** Such as `2026-10`. */
  readonly apiVersion: string;
  /** Scopes that `check` demands beside read_products and write_products. */
  readonly requiredScopes?: readonly string[] | undefined;
  /** Languages that `check` looks for among the shop's. */
  readonly locales?: readonly string[] | undefined;
  /** Metafields of other namespaces are left out of snapshots; absent: all are kept. */
  readonly openAttributeNamespaces?: readonly string[] | undefined;
  /** `namespace.key` of the metafields that are read of each variant; at most two. */
  readonly variantMetafields?: readonly string[] | undefined;
  /** Folder for the temporary files of exports; the system's own by default. */
  readonly spillDir?: string | undefined;
  readonly clock?: (() => Date) | undefined;
  readonly sleep?: Sleep | undefined;
  /** 0 up to 1, for the jitter of repeated calls. */
  readonly random?: (() => number) | undefined;
  readonly onCost?: ((cost: CostReport) => void) | undefined;
  readonly onRequest?: ((request: RequestReport) => void) | undefined;
  readonly log?: Logger | undefined;
  readonly limits?: Partial<ShopifyLimits> | undefined;
}

/** Resolves after the given milliseconds, or at once when the signal is aborted; never rejects. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export interface CostReport {
  readonly operation: string;
  readonly requested: number;
  /** Null when the call was refused as THROTTLED. */
  readonly actual: number | null;
  readonly available: number;
  readonly maximum: number;
  /** Points a second. */
  readonly restoreRate: number;
  readonly throttled: boolean;
}

export interface RequestReport {
  readonly operation: string;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly durationMs: number;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly requestId: string | null;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
}

export interface ShopifyLimits {
  /** One attempt of one call, and the longest silence within a download. */
  readonly requestTimeoutMs: number;
  /** Tries of a call that may be repeated, the first included. */
  readonly attempts: number;
  /** All waits together that the store's own refusals (THROTTLED, 429) may cost one call. */
  readonly throttleWaitMs: number;
  /** How long a full queue of bulk operations is waited for before pages are used instead. */
  readonly bulkSlotWaitMs: number;
  /** Products that one walk of pages may meet before the walk starts again by time: the store refuses beyond 25,000. */
  readonly pagingCeiling: number;
  readonly pageSize: number;
  /** Points that one call for product details aims at; the store refuses a call of more than 1,000. */
  readonly detailCost: number;
  readonly detailChunk: number;
  /** Products in one batch of a stream of pages. */
  readonly batchSize: number;
  /** Products in one batch of an export, which are not parsed yet. */
  readonly exportBatchSize: number;
  /** Bytes of export that one partition may hold in memory when children are not beside their products. */
  readonly partitionBytes: number;
}

export const DEFAULT_LIMITS: ShopifyLimits = {
  requestTimeoutMs: 30_000,
  attempts: 4,
  throttleWaitMs: 120_000,
  bulkSlotWaitMs: 60_000,
  pagingCeiling: 25_000,
  pageSize: 250,
  detailCost: 400,
  detailChunk: 50,
  batchSize: 100,
  exportBatchSize: 500,
  partitionBytes: 8 * 1024 * 1024,
};
