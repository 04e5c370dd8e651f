import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/**
 * Asks until the answer is neither null nor false, and returns it: for work of another process that nobody announces. Throws when that
 * takes longer than `withinMs`.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | false> | T | null | false,
  withinMs = 300_000,
): Promise<T> {
  for (const end = performance.now() + withinMs; ;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    if (performance.now() > end) throw new Error(`not within ${String(withinMs)} ms: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
