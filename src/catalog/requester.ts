import pLimit from 'p-limit';
import type { CodedError } from '../domain/errors.js';
import { isCoded } from '../domain/errors.js';
import { BACKOFF } from '../domain/backoff.js';
import type { OutgoingAnswer } from '../runtime/outgoing-http.js';
import { isInBackground } from './background.js';
import type { AnswerErrors } from './answer-errors.js';
import type { Bearer, TokenProvider } from './auth.js';
import type { Exchange, Http } from './http.js';
import type { RateLimiter, Sleep, Slot } from './rate-limiter.js';

/** Operations that share a token after an API token's 403: the login that works for one of a group is used for all. */
export type OperationGroup = 'products' | 'uploads' | 'generation' | 'tasks' | 'settings' | 'tokens';

/**
 * Automatic repetition of a request. `read` is also repeated after faults, and `repeatable` (upserts and deletions) after
 * a 503. `once` (costs credits or starts work) is repeated only when it was not carried out.
 */
export type Repeat = 'read' | 'repeatable' | 'once';

/** The most concurrent requests of one client, apart from those in the background, which are as many again. */
export const REQUESTS_AT_ONCE = 16;

export interface Call<T> extends Omit<Exchange, 'headers' | 'freshConnection'> {
  readonly group: OperationGroup;
  /** The documented path with its placeholders. Metrics use it, because each id would create a new label. */
  readonly path: string;
  readonly contentType?: string;
  /** `own`: the client's own bearer token; otherwise the given token, or none. */
  readonly bearer: 'own' | 'none' | { readonly token: string };
  readonly repeat: Repeat;
  /** True when the response contains secrets, so that no part of it is shown. */
  readonly confidential?: boolean;
  /** Called right before each attempt, after its waits. If it throws, the request is not sent. */
  readonly beforeSend?: () => void;
  /** Creates the result from a 2xx response, or calls `unusable` with the problem and throws its result. */
  readonly read: (answer: OutgoingAnswer, unusable: (problem: string) => CodedError) => T;
}

export interface RequestInfo {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** Undefined when no response arrived. */
  readonly status: number | undefined;
  readonly durationMs: number;
}

export interface RequesterOptions {
  readonly clock: () => Date;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly closed: AbortSignal;
  readonly maxThrottleWaitMs: number;
  readonly retryDelayScale: number;
  readonly onRequest?: (info: RequestInfo) => void;
}

/** A read that took so long is not repeated after a fault: its caller keeps a row, which is tried again later, and holds no worker meanwhile. */
const READ_MS = 45_000;

/** The repetitions and waits that one call has used so far. */
interface Progress {
  readonly begunAtMs: number;
  throttleBudgetMs: number;
  throttles: number;
  faults: number;
  renewed: boolean;
  useSession: boolean;
}

/**
 * Processes one call to its end: bearer token, rate limiter, exchange and translation of errors. It also handles
 * repetitions: one renewal after 401, one change to the login after an API token's 403, bounded waits, and a few
 * retries of a read.
 */
export class Requester {
  private readonly atOnce = pLimit(REQUESTS_AT_ONCE);
  private readonly inBackground = pLimit(REQUESTS_AT_ONCE);
  private readonly sessionGroups = new Set<OperationGroup>();

  constructor(
    private readonly http: Http,
    private readonly limiter: RateLimiter,
    private readonly errors: AnswerErrors,
    private readonly tokens: TokenProvider,
    private readonly options: RequesterOptions,
  ) {}

  async send<T>(call: Call<T>): Promise<T> {
    const progress: Progress = {
      begunAtMs: this.options.clock().getTime(),
      throttleBudgetMs: this.options.maxThrottleWaitMs,
      throttles: 0,
      faults: 0,
      renewed: false,
      useSession: this.sessionGroups.has(call.group),
    };
    const limit = isInBackground() ? this.inBackground : this.atOnce;
    for (;;) {
      const bearer = await this.bearer(call, progress);
      let slot: Slot | undefined;
      try {
        const answer = await limit(async () => {
          slot = await this.slot(call, progress);
          return this.attempt(call, bearer, slot, progress);
        });
        const result = this.resultOf(call, answer);
        if (bearer?.kind === 'session') this.sessionGroups.add(call.group);
        return result;
      } catch (error) {
        // The request timed out while it was still queued for a slot.
        if (slot === undefined || !isCoded(error)) throw error;
        // Any response except a refusal of the token shows that the login works here.
        const served = error.status !== undefined && error.status !== 401 && error.status !== 403;
        if (bearer?.kind === 'session' && served) this.sessionGroups.add(call.group);
        if (!(await this.mayRepeat(call, error, bearer, progress))) throw error;
      }
    }
  }

  private async bearer(call: Call<unknown>, progress: Progress): Promise<Bearer | undefined> {
    if (call.bearer === 'none') return undefined;
    // A token that the caller passed cannot be renewed.
    if (call.bearer !== 'own') return { token: call.bearer.token, kind: 'api' };
    return this.tokens.bearer(progress.useSession);
  }

  private async slot(call: Call<unknown>, progress: Progress): Promise<Slot> {
    try {
      const slot = await this.limiter.acquire(progress.throttleBudgetMs, this.options.closed);
      progress.throttleBudgetMs -= slot.pausedMs;
      return slot;
    } catch (error) {
      if (isCoded(error) || !this.options.closed.aborted) throw error;
      throw this.errors.ofClosed(call.operation, false);
    }
  }

  /** Returns the response. If it asks for a wait, no further request is sent for that time. */
  private async attempt(
    call: Call<unknown>,
    bearer: Bearer | undefined,
    slot: Slot,
    progress: Progress,
  ): Promise<OutgoingAnswer> {
    call.beforeSend?.();
    const answer = await this.exchange(call, bearer);
    if (answer.status === 429 || answer.status === 503) {
      progress.throttles += 1;
      const error = this.errors.ofStatus(call.operation, answer, call.mutates, this.options.clock());
      await this.limiter.slowDown(slot.startedAtMs, this.pauseMs(progress.throttles, error.retryAfterMs));
      throw error;
    }
    return answer;
  }

  private resultOf<T>(call: Call<T>, answer: OutgoingAnswer): T {
    if (answer.status < 200 || answer.status >= 300) {
      throw this.errors.ofStatus(call.operation, answer, call.mutates, this.options.clock());
    }
    const shown: OutgoingAnswer = call.confidential === true ? { ...answer, body: Buffer.alloc(0) } : answer;
    const unusable = (problem: string) =>
      this.errors.ofUnreadable(call.operation, shown, call.mutates, problem);
    if (answer.cut) throw unusable('a body that is too large');
    return call.read(answer, unusable);
  }

  private async exchange(call: Call<unknown>, bearer: Bearer | undefined): Promise<OutgoingAnswer> {
    const { operation, method, path } = call;
    const startedAtMs = this.options.clock().getTime();
    const report = (status: number | undefined) => {
      const durationMs = this.options.clock().getTime() - startedAtMs;
      this.options.onRequest?.({ operation, method, path, status, durationMs });
    };
    const headers = {
      Accept: 'application/json',
      'User-Agent': 'store-sync',
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer.token}` }),
      ...(call.contentType === undefined ? {} : { 'Content-Type': call.contentType }),
    };
    let answer: OutgoingAnswer;
    try {
      answer = await this.http.exchange({ ...call, headers, freshConnection: call.repeat === 'once' });
    } catch (error) {
      report(undefined);
      throw error;
    }
    report(answer.status);
    return answer;
  }

  /** Whether to repeat the request. The wait for that is over, or the limiter adds it. */
  private async mayRepeat(
    call: Call<unknown>,
    error: CodedError,
    bearer: Bearer | undefined,
    progress: Progress,
  ): Promise<boolean> {
    if (error.status === 401) return this.mayRenew(call, bearer, progress);
    if (error.status === 403) return this.mayUseLogin(call, bearer, progress);
    const refusedFor503 = error.status === 503 && call.repeat !== 'once';
    if (error.code === 'throttled' || refusedFor503) return this.mayWait(error, progress);
    if (error.code !== 'transient' || call.repeat !== 'read' || this.options.closed.aborted) return false;
    return this.mayRetryRead(progress);
  }

  private mayRenew(call: Call<unknown>, bearer: Bearer | undefined, progress: Progress): boolean {
    if (call.bearer !== 'own' || bearer?.kind !== 'session') return false;
    if (progress.renewed) {
      this.tokens.discard(bearer.token);
      return false;
    }
    progress.renewed = true;
    this.tokens.reject(bearer.token);
    return true;
  }

  /** An API token is only documented to serve the product endpoints (docs/catalog-rules.md, AUTH-02). */
  private mayUseLogin(call: Call<unknown>, bearer: Bearer | undefined, progress: Progress): boolean {
    if (call.bearer !== 'own' || bearer?.kind !== 'api' || !this.tokens.hasLogin) return false;
    progress.useSession = true;
    return true;
  }

  private async mayWait(error: CodedError, progress: Progress): Promise<boolean> {
    if (error.status === 408) {
      // The connection was too slow, not the client too fast. Pause, but keep the rate.
      progress.throttles += 1;
      await this.limiter.slowDown(null, this.pauseMs(progress.throttles, error.retryAfterMs));
    }
    return this.limiter.pauseMs <= progress.throttleBudgetMs;
  }

  private async mayRetryRead(progress: Progress): Promise<boolean> {
    progress.faults += 1;
    const throttledMs = this.options.maxThrottleWaitMs - progress.throttleBudgetMs;
    if (this.options.clock().getTime() - progress.begunAtMs - throttledMs > READ_MS) return false;
    const waitMs = BACKOFF.catalogRead.delayMs(progress.faults, this.options.random);
    if (waitMs === null) return false;
    try {
      await this.options.sleep(waitMs * this.options.retryDelayScale, this.options.closed);
    } catch (aborted) {
      if (!this.options.closed.aborted) throw aborted;
      return false;
    }
    return true;
  }

  /**
   * The wait that the service requested. Without one, or when it keeps refusing, at least a growing wait of our own.
   */
  private pauseMs(throttles: number, askedMs: number | undefined): number {
    if (throttles === 1 && askedMs !== undefined) return askedMs;
    return BACKOFF.catalogThrottle.delayMs(throttles, this.options.random, askedMs);
  }
}
