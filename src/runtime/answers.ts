/** Without an answer for this long, people are told that a side does not answer. */
const SILENT_AFTER_MS = 5_000;

interface Side {
  /** Requests without their answers. */
  pending: number;
  /** Start of the first request since the last answer; null when every request since then was answered or given up. */
  unansweredSinceMs: number | null;
  /** A request failed since the last answer. */
  hasFailed: boolean;
}

/** What became of a request. `answered`: by the service itself. `unanswered`: no response, or one of a gateway that did not reach it. */
export type RequestEnd = 'answered' | 'unanswered' | 'given up';

/** Which sides answer, by the origin of their address. Every request of the process is noted here. */
export class Answers {
  readonly #sides = new Map<string, Side>();

  constructor(private readonly nowMs: () => number = () => Date.now()) {}

  /** Call the returned function with the end of the request. */
  began({ origin }: URL): (end: RequestEnd) => void {
    const side = this.#sides.get(origin) ?? { pending: 0, unansweredSinceMs: null, hasFailed: false };
    this.#sides.set(origin, side);
    side.pending += 1;
    side.unansweredSinceMs ??= this.nowMs();
    return (end) => {
      side.pending -= 1;
      if (end === 'unanswered') side.hasFailed = true;
      if (end === 'answered') side.hasFailed = false;
      if (end === 'answered' || (end === 'given up' && !side.hasFailed))
        side.unansweredSinceMs = side.pending > 0 ? this.nowMs() : null;
    };
  }

  /** Since when the side has not answered, after five seconds of silence. Null while it answers; undefined when it was never asked. */
  silentSince(address: string): Date | null | undefined {
    const side = this.#sides.get(URL.parse(address)?.origin ?? '');
    if (side === undefined) return undefined;
    const since = side.unansweredSinceMs;
    return since === null || this.nowMs() - since < SILENT_AFTER_MS ? null : new Date(since);
  }
}

/** The answers to the requests of this process. */
export const ANSWERS = new Answers();
