/** The known credits of a workspace. */
export interface CreditFacts {
  /** The figure that the service reported last; null before its first report. */
  readonly remaining: number | null;
  /** `generation.minCreditsRemaining`. */
  readonly minimum: number;
  /** The mean of the last results; null while none has named its credits. */
  readonly each: number | null;
  /** Requests without a result: the service reports credits only with results, so that their cost is reserved. */
  readonly open: number;
}

/** True when no request may be made, even once all open ones have their results. */
export function isOutOfCredits({ remaining, minimum, each }: Omit<CreditFacts, 'open'>): boolean {
  if (remaining === null) return false;
  return remaining <= minimum || creditRoom({ remaining, minimum, each, open: 0 }) < 1;
}

/** How many products may be requested before the minimum is reached; infinitely many where nothing limits them. */
export function creditRoom({ remaining, minimum, each, open }: CreditFacts): number {
  const cost = each ?? 1;
  if (minimum === 0 || remaining === null || cost <= 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, Math.floor((remaining - minimum) / cost) - open);
}
