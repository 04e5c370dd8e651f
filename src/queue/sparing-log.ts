import { errorLine } from '../domain/errors.js';

const QUIET_MS = 30_000;

/**
 * A log for errors that occur many times a second while a server is down. It logs the first error of each source,
 * then one line per 30 s with the number of omitted errors. `now` in milliseconds.
 */
export function sparingly(
  log: (line: string) => void,
  now: () => number = () => performance.now(),
): (source: string, error: unknown) => void {
  const sources = new Map<string, { saidAt: number; leftOut: number }>();
  return (source, error) => {
    const state = sources.get(source);
    if (state && now() - state.saidAt < QUIET_MS) {
      state.leftOut += 1;
      return;
    }
    const more = state && state.leftOut > 0 ? ` (${state.leftOut} more since the last)` : '';
    sources.set(source, { saidAt: now(), leftOut: 0 });
    log(`${source}: ${errorLine(error) || codeOf(error)}${more}`);
  };
}

/** Some network errors have no message, only a code. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'an error without a message';
}
