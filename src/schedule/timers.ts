import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { errorLine } from '../domain/errors.js';
import { Logger } from '../runtime/logger.js';
import { Rounds } from '../runtime/rounds.js';

/** The timers of the schedules, and what runs in them. A piece of work that fails is reported, and stops no other. */
@Injectable()
export class Timers {
  readonly log: Logger;
  #stopped = false;

  constructor(
    readonly registry: SchedulerRegistry,
    logger: Logger,
  ) {
    this.log = logger.child({ stage: 'schedule' });
  }

  get stopped(): boolean {
    return this.#stopped;
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
    this.registry.addInterval(name, setInterval(round, ms));
    return round;
  }

  /** Replaces a timer of the same name. */
  soon(name: string, ms: number, work: () => void): void {
    if (this.#stopped) return;
    const { registry } = this;
    if (registry.doesExist('timeout', name)) registry.deleteTimeout(name);
    registry.addTimeout(name, setTimeout(work, ms));
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
    const { registry } = this;
    for (const name of registry.getTimeouts()) registry.deleteTimeout(name);
    for (const name of registry.getIntervals()) registry.deleteInterval(name);
  }
}
