import { BACKOFF } from '../../domain/backoff.js';
import { CodedError } from '../../domain/errors.js';
import type { Fault } from './faults.js';
import type { ShopifyLimits } from './options.js';

/** The step after a failed attempt of a call. */
export type NextStep =
  | { readonly kind: 'throw'; readonly error: CodedError }
  | { readonly kind: 'renew-token' }
  /** `pauseAll`: the store's answer concerns every call, not only this one. */
  | { readonly kind: 'wait'; readonly ms: number; readonly pauseAll: boolean };

const THROTTLED_WAIT_MS = 1_000;
/** A call that took so long without success is not repeated: its caller keeps a row, which is tried again later, and holds no worker meanwhile. */
const CALL_MS = 45_000;

/** Decides after each failed attempt of one call whether it is repeated. One instance serves one call. */
export class RepeatPolicy {
  #waitedMs = 0;
  #failures = 0;
  #renewed = false;
  #outcomeUnknown = false;
  readonly #begunAtMs: number;

  constructor(
    private readonly limits: Pick<ShopifyLimits, 'throttleWaitMs' | 'attempts'>,
    /** Returns a number from 0 up to 1, for the jitter. */
    private readonly random: () => number,
    private readonly now: () => number,
  ) {
    this.#begunAtMs = now();
  }

  /** `renew` discards the refused token. It returns true when a new one can be requested. */
  next(fault: Fault, isRepeatable: boolean, renew: () => boolean): NextStep {
    // The store may have carried out an earlier attempt, however this one ended.
    this.#outcomeUnknown ||= fault.error.outcomeUnknown;
    const error = this.#outcomeUnknown ? withOutcomeUnknown(fault.error) : fault.error;
    if (fault.repeat === 'new-token' && !this.#renewed && renew()) {
      this.#renewed = true;
      return { kind: 'renew-token' };
    }
    if (error.code === 'throttled' && fault.repeat === 'always') return this.#throttled(error);
    return this.#failed(
      error,
      fault.repeat === 'always' || (fault.repeat === 'if-repeatable' && isRepeatable),
    );
  }

  #throttled(error: CodedError): NextStep {
    // A status may ask for no wait, or name a time that is past by our clock: without a wait the attempts would not end.
    const leastMs = error.status === undefined ? 0 : THROTTLED_WAIT_MS;
    const ms = Math.max(leastMs, error.retryAfterMs ?? THROTTLED_WAIT_MS);
    this.#waitedMs += ms;
    if (this.#waitedMs > this.limits.throttleWaitMs) return { kind: 'throw', error };
    // A status concerns all calls. A THROTTLED concerns this one, and the cost throttle holds the others back.
    return { kind: 'wait', ms, pauseAll: error.status !== undefined };
  }

  #failed(error: CodedError, mayRepeat: boolean): NextStep {
    this.#failures += 1;
    const tookMs = this.now() - this.#begunAtMs - this.#waitedMs;
    const isLast = this.#failures >= this.limits.attempts || tookMs + (error.retryAfterMs ?? 0) > CALL_MS;
    if (!mayRepeat || isLast) return { kind: 'throw', error };
    const ms = BACKOFF.storeCall.delayMs(this.#failures, this.random, error.retryAfterMs);
    return { kind: 'wait', ms, pauseAll: false };
  }
}

/** The same error, marked as that of a call that may have been carried out. */
export function withOutcomeUnknown(error: CodedError): CodedError {
  if (error.outcomeUnknown) return error;
  const { cause, retryAfterMs, status, fields } = error;
  return new CodedError(error.code, error.message, {
    cause,
    retryAfterMs,
    status,
    fields,
    outcomeUnknown: true,
  });
}
