import type { AssumptionOverrides, GenerationRequest } from './assumptions.js';
import type { CatalogAuth } from './auth.js';
import type { TaskStatuses } from './background-task.js';
import type { Sleep } from './rate-limiter.js';
import type { RequestInfo } from './requester.js';

export interface CatalogClientOptions {
  /** `{base_url}`: https, or http on a loopback address. */
  readonly baseUrl: string;
  /** An API token, a login, or both: the token first, the login where the token gets 403. */
  readonly auth: CatalogAuth;
  /** The locale of each request that takes `locale`, unless a call names another. */
  readonly locale?: string;
  /** Ceiling of request starts per second. */
  readonly requestsPerSecond: number;
  /** The most requests under way at once; fewer while more would only make each of them slower. 32. */
  readonly concurrency?: number;
  /** The request that asks for generation; by default as assumptions.ts has it. */
  readonly generation?: GenerationRequest;
  /** Task statuses that mean success and failure; by default as assumptions.ts has them. */
  readonly tasks?: TaskStatuses;
  readonly assumptions?: AssumptionOverrides;
  /** Called for every exchange, for metrics. */
  readonly onRequest?: (info: RequestInfo) => void;

  /** Deadline of one exchange, to the last byte of the answer. 30 s. */
  readonly requestTimeoutMs?: number;
  /** The same for a CSV upload. 10 min. */
  readonly uploadTimeoutMs?: number;
  /** How long one call waits, all in all, because the service asked for it (429, 503). 60 s. */
  readonly maxThrottleWaitMs?: number;
  /** Multiplies the waits (1, 5, 30 s) between further tries of a read. 1. */
  readonly retryDelayScale?: number;
  /** Largest answer that is read, decompressed. 50 MB. */
  readonly maxResponseBytes?: number;

  readonly clock?: () => Date;
  readonly sleep?: Sleep;
  /** In [0, 1), for jitter. */
  readonly random?: () => number;
  /** A text that is in no file: the boundary of an upload's form. */
  readonly newBoundary?: () => string;
}

export const DEFAULT_LIMITS = {
  concurrency: 32,
  requestTimeoutMs: 30_000,
  uploadTimeoutMs: 600_000,
  maxThrottleWaitMs: 60_000,
  retryDelayScale: 1,
  maxResponseBytes: 50_000_000,
};
