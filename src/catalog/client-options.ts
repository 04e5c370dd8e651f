import { MAX_ANSWER_BYTES } from '../domain/answer-bounds.js';
import type { RequestRate } from '../domain/request-rate.js';
import type { AssumptionOverrides, GenerationRequest } from './assumptions.js';
import type { CatalogAuth } from './auth.js';
import type { TaskStatuses } from './background-task.js';
import type { MalformedItem } from './pages.js';
import type { Sleep } from './rate-limiter.js';
import type { RequestInfo } from './requester.js';

export interface CatalogClientOptions {
  /** `{base_url}`: https, or http on a loopback address. */
  readonly baseUrl: string;
  /** An API token, a login, or both. With both, the token is used first, and the login where the token gets 403. */
  readonly auth: CatalogAuth;
  /** The locale of each request that takes `locale`, unless a call names another. */
  readonly locale?: string;
  /** The highest number of requests started per second. */
  readonly requestsPerSecond: number;
  /** The rate that other processes share. Without it the rate is that of this client alone. */
  readonly rate?: RequestRate | undefined;
  /** The request that asks for generation; default in assumptions.ts. */
  readonly generation?: GenerationRequest;
  /** Task statuses that mean success and failure; defaults in assumptions.ts. */
  readonly tasks?: TaskStatuses;
  readonly assumptions?: AssumptionOverrides;
  /** Called for every exchange, for metrics. */
  readonly onRequest?: (info: RequestInfo) => void;
  /** Called for every entry of a list that is left out because it is malformed. */
  readonly onMalformed?: (item: MalformedItem & { readonly operation: string }) => void;

  /** Time limit of one exchange, to the last byte of the response. Default 30 s. */
  readonly requestTimeoutMs?: number;
  /** The same for a CSV upload. Default 10 min. */
  readonly uploadTimeoutMs?: number;
  /** The total wait of one call for the service's requests to wait (429, 503). Default 60 s. */
  readonly maxThrottleWaitMs?: number;
  /** Multiplies the waits (1, 5, 30 s) between retries of a read. Default 1. */
  readonly retryDelayScale?: number;
  /** The largest response, decompressed. Default 50 MB. */
  readonly maxResponseBytes?: number;

  readonly clock?: () => Date;
  readonly sleep?: Sleep;
  /** A number in [0, 1), for jitter. */
  readonly random?: () => number;
  /** A text that occurs in no file, as the boundary of an upload form. */
  readonly newBoundary?: () => string;
}

export const DEFAULT_LIMITS = {
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 600_000,
  maxThrottleWaitMs: 60_000,
  retryDelayScale: 1,
  maxResponseBytes: MAX_ANSWER_BYTES,
};
