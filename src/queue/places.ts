import { beginTally, tallied } from '../runtime/request-tally.js';

interface Side {
  busy: number;
  /** The last work of the side got no answer. */
  silent: boolean;
  /** Ids of rows that wait for a place, in the order of their jobs. */
  readonly waiting: Set<string>;
}

/** `settled`: the row is done, whether or not its side answered. `open`: it will be worked again. */
export type RowEnd = 'settled' | 'open';

export interface PlaceSettings {
  /** Rows of one store, or of one workspace, that are worked at the same time. */
  readonly ofSide: number;
  /** Puts the due rows of a side off that does not answer. */
  readonly putOff: (side: string) => Promise<void>;
}

/**
 * Gives each side (a store or a workspace) some of a queue's places, so that one which hangs leaves the rest to others. A side that did
 * not answer, so that its row stays open, has one place until it does.
 */
export class Places {
  readonly #sides = new Map<string, Side>();

  constructor(private readonly settings: PlaceSettings) {}

  /**
   * Works the row, and then those of the side that waited for a place. Without a free place the row waits, and this returns at once: the
   * job has ended. A row that waits in a process which dies is found by the sweep.
   */
  async work(name: string, id: string, row: (id: string) => Promise<RowEnd>): Promise<void> {
    const side = this.#sides.get(name) ?? { busy: 0, silent: false, waiting: new Set() };
    this.#sides.set(name, side);
    if (side.busy >= this.#mostOf(side)) {
      side.waiting.add(id);
      return;
    }
    side.busy += 1;
    try {
      let next: string | undefined = id;
      while (next !== undefined) {
        await this.#answered(name, side, next, row);
        next = side.busy > this.#mostOf(side) ? undefined : takeFirst(side.waiting);
      }
    } finally {
      side.busy -= 1;
      if (side.busy === 0) side.waiting.clear();
      if (side.busy === 0 && !side.silent) this.#sides.delete(name);
    }
  }

  #mostOf({ silent }: Side): number {
    return silent ? 1 : this.settings.ofSide;
  }

  async #answered(name: string, side: Side, id: string, row: (id: string) => Promise<RowEnd>): Promise<void> {
    const tally = beginTally();
    const { answeredAtMs: begunAtMs } = tally;
    const end = await tallied(tally, () => row(id));
    const isAnswered = tally.answeredAtMs !== begunAtMs;
    if (isAnswered) side.silent = false;
    if (isAnswered || end === 'settled' || tally.catalog + tally.store === 0) return;
    side.silent = true;
    side.waiting.clear();
    await this.settings.putOff(name);
  }
}

function takeFirst(ids: Set<string>): string | undefined {
  const [first] = ids;
  if (first !== undefined) ids.delete(first);
  return first;
}
