import { setMaxListeners } from 'node:events';
import type { SandboxLogger } from './logger.js';

/** Rows that fall due. One process works on a database at a time; what it leaves open is due when it starts again. */
export interface Workload {
  readonly name: string;
  /** The ids of at most `limit` rows that are due. Those that this process works on already (`running`) are left out. */
  due(limit: number, running: readonly number[]): Promise<readonly number[]>;
  /** Does what a row asks for. When `signal` aborts it leaves the row unchanged. */
  run(id: number, signal: AbortSignal): Promise<void>;
  /** When the next row that is not in `running` falls due; null when none waits. */
  nextDueAt(running: readonly number[]): Promise<Date | null>;
}

/** The wait for a row that was due already and was not finished. */
const SHORT_MS = 20;

export interface WorkerOptions {
  readonly clock: () => Date;
  readonly pollMs: number;
  readonly concurrency: number;
  readonly logger: SandboxLogger;
}

/** Works on a workload until it is stopped. It looks again when woken, when a row falls due, and every `pollMs`. */
export class Worker {
  private readonly running = new Map<number, Promise<void>>();
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;
  private woken = false;
  private interrupt: (() => void) | undefined;

  constructor(
    private readonly workload: Workload,
    private readonly options: WorkerOptions,
  ) {}

  start(): void {
    // One listener for each row at work, not a leak.
    setMaxListeners(0, this.stopping.signal);
    this.loop ??= this.work();
  }

  wake(): void {
    this.woken = true;
    this.interrupt?.();
  }

  /** Takes nothing more, aborts what runs, and waits until it has let go. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.loop;
    await Promise.all(this.running.values());
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async work(): Promise<void> {
    while (!this.stopped) {
      this.woken = false;
      await this.pause(await this.takeDue());
    }
  }

  /** Starts what is due; returns how long nothing is expected to happen, in milliseconds. */
  private async takeDue(): Promise<number> {
    const { concurrency, pollMs, clock, logger } = this.options;
    try {
      const free = concurrency - this.running.size;
      const ids = free > 0 ? await this.workload.due(free, [...this.running.keys()]) : [];
      for (const id of ids) this.running.set(id, this.runOne(id));
      if (ids.length > 0 && ids.length === free) return pollMs;
      const next = await this.workload.nextDueAt([...this.running.keys()]);
      const dueInMs = next === null ? pollMs : next.getTime() - clock().getTime();
      return Math.min(pollMs, dueInMs > 0 ? dueInMs : SHORT_MS);
    } catch (error) {
      logger.error(`${this.workload.name}: could not look for work`, error);
      return pollMs;
    }
  }

  private async runOne(id: number): Promise<void> {
    try {
      await this.workload.run(id, this.stopping.signal);
    } catch (error) {
      this.options.logger.error(`${this.workload.name}: ${id} was not finished`, error);
    } finally {
      this.running.delete(id);
      this.wake();
    }
  }

  private async pause(ms: number): Promise<void> {
    if (this.woken || this.stopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.interrupt = undefined;
  }
}

/** Signals to the workers that rows were committed. */
export class Wakeups {
  private readonly listeners = new Set<() => void>();

  listen(listener: () => void): void {
    this.listeners.add(listener);
  }

  ring(): void {
    for (const listener of this.listeners) listener();
  }
}
