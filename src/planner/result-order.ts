import { isSameContent, ownPart } from './content-fingerprint.js';

/**
 * The order of a product's results (docs/decisions/0029-one-order-of-results.md). The order is that of receipt, by our clock. What a
 * result says about its own age only tells the late repetition of an old result from a new one.
 */

/** How far the service's clock may be from ours. */
export const CLOCK_SKEW_MS = 300_000;

/** What is known of the age of a result. */
export interface ResultAge {
  /** When it came in, by our clock. */
  readonly receivedAt: Date;
  /** When we requested it, by our clock; null when we did not. */
  readonly askedAt: Date | null;
  /** When its generation began, by the service's clock, and never later than `receivedAt`; null when that is unknown. */
  readonly datedAt: Date | null;
}

/** The newest result of the product that was taken. */
export interface TakenResult extends ResultAge {
  readonly contentFingerprint: string;
}

/**
 * - `newer` write it
 * - `same` the newest result again, by another way or under another task id
 * - `older` a late repetition of a result that a newer one has replaced
 * - `unsure` its dates do not tell. The catalog product does: what it holds now is the newest result.
 */
export type ResultOrder = 'newer' | 'same' | 'older' | 'unsure';

export function orderOf(result: TakenResult, newest: TakenResult | null): ResultOrder {
  if (newest === null || beganLater(result, newest)) return 'newer';
  return isSameContent(result.contentFingerprint, newest.contentFingerprint) ? 'same' : 'unsure';
}

/**
 * The order where the dates do not tell: by what the catalog product holds now, and where that is neither of the two, by the dates.
 * `live` is the fingerprint of the catalog product's content; null when it could not be read.
 */
export function settledOrder(
  result: TakenResult,
  newest: TakenResult,
  live: string | null,
): Exclude<ResultOrder, 'unsure'> {
  if (live !== null && ownPart(live) === ownPart(result.contentFingerprint)) return 'newer';
  if (live !== null && ownPart(live) === ownPart(newest.contentFingerprint)) return 'older';
  const age = comparedAge(result, newest);
  if (age !== 0) return age > 0 ? 'newer' : 'older';
  return result.receivedAt < newest.receivedAt ? 'older' : 'newer';
}

/** True when the result is surely of a later generation than the newest one, and no repetition of an earlier result. */
function beganLater(result: ResultAge, newest: ResultAge): boolean {
  const { askedAt, datedAt } = result;
  if (askedAt !== null) return askedAt > (newest.askedAt ?? newest.receivedAt);
  if (datedAt === null) return false;
  return newest.datedAt === null
    ? datedAt.getTime() > newest.receivedAt.getTime() + CLOCK_SKEW_MS
    : datedAt > newest.datedAt;
}

/** Positive when the result seems to have begun later, negative when it seems to have begun earlier, 0 when nothing tells. */
function comparedAge(result: ResultAge, newest: ResultAge): number {
  const began = (result.askedAt ?? result.datedAt)?.getTime();
  if (began === undefined) return 0;
  if (result.askedAt === null && newest.datedAt !== null) return began - newest.datedAt.getTime();
  const newestBegan = (newest.askedAt ?? newest.datedAt)?.getTime();
  if (newestBegan === undefined) return 0;
  const isOneClock = result.askedAt !== null;
  return isOneClock || Math.abs(began - newestBegan) > CLOCK_SKEW_MS ? began - newestBegan : 0;
}
