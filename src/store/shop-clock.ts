/** The shop's own time when it answered, by its `date` header; null where that names none since 1970. */
export function timeOfAnswer(date: unknown): Date | null {
  const at = new Date(typeof date === 'string' ? date : Number.NaN);
  return at.getTime() >= 0 ? at : null;
}

/**
 * How many whole minutes a shop's clock, by which its products have their times, is behind ours; 0 when it is ahead or unknown. Answers
 * give the time in whole seconds. Less than a minute does not matter: reads of changes overlap by more.
 */
export function behindMs(at: Date | null, nowMs: number): number {
  return at === null ? 0 : Math.max(0, Math.floor((nowMs - at.getTime()) / 60_000) * 60_000);
}
