import { Injectable } from '@nestjs/common';
import { errorLine } from '../domain/errors.js';
import { Logger } from '../runtime/logger.js';
import { Rounds } from '../runtime/rounds.js';

/** The timers of the schedules, and what runs in them. A piece of work that fails is reported, and stops no other. */
@Injectable()
export class Timers {
  readonly log: Logger;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #stopped = false;

  constructor(logger: Logger) {
    this.log = logger.child({ stage: 'schedule' });
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** The names of the timers that are set. */
  get names(): string[] {
    return [...this.#timers.keys()];
  }

  /**
   * Rounds of one kind do not overlap within a process. Between processes, the rows ensure it. Returns a function
   * that starts a round.
   */
  every(name: string, ms: number, work: () => Promise<void>): () => void {
    const rounds = new Rounds(() => this.guarded(name, work));
    const round = (): void => {
      rounds.now();
    };
    this.#timers.set(name, setInterval(round, ms));
    return round;
  }

  /** Replaces a timer of the same name. */
  soon(name: string, ms: number, work: () => void): void {
    if (this.#stopped) return;
    this.end(name);
    this.#timers.set(name, setTimeout(work, ms));
  }

  end(name: string): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  async guarded(what: string, work: () => Promise<void>): Promise<void> {
    if (this.#stopped) return;
    try {
      await work();
    } catch (error) {
      const failure = { what, err: errorLine(error) };
      // The process stops and has closed its connections. The next process does the work.
      if (this.stopped) this.log.debug(failure, 'scheduled work did not end before the stop');
      else this.log.warn(failure, 'scheduled work failed; it is tried again');
    }
  }

  /** Removes every timer, so that none keeps the process alive. Work that is in progress ends, and starts no timer again. */
  stop(): void {
    this.#stopped = true;
    for (const name of this.names) this.end(name);
  }
}
