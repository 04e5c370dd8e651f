import { setTimeout as sleep } from 'node:timers/promises';

/** The first look again comes soon, as most states do. Each pause is twice as long, up to the second number. */
const PAUSES_MS = [5, 50] as const;

/**
 * Calls `look` until its result is neither null nor false, and returns it. For changes that no event reports. Throws after
 * `withinMs`.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | false> | T | null | false,
  withinMs = 300_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  const [first, longest] = PAUSES_MS;
  for (let pauseMs: number = first; ; pauseMs = Math.min(2 * pauseMs, longest)) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (performance.now() > end) throw new Error(`not within ${String(withinMs)} ms: ${what}`);
    await sleep(pauseMs);
  }
}
