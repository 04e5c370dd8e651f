import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxLogger } from './logger.js';

/** Rows that fall due. One process works on a database at a time; what it leaves open is due when it starts again. */
export interface Workload {
  readonly name: string;
  /** The ids of at most `limit` rows that are due. Those that this process works on already (`running`) are left out. */
  due(limit: number, running: readonly number[]): Promise<readonly number[]>;
  /** Does what a row asks for. When `signal` aborts it leaves the row unchanged. */
  run(id: number, signal: AbortSignal): Promise<void>;
}

export interface WorkerOptions {
  readonly pollMs: number;
  readonly concurrency: number;
  readonly logger: SandboxLogger;
}

/** Works on a workload until it is stopped. It looks for due rows every `pollMs`, and when a row is done. */
export class Worker {
  private readonly running = new Map<number, Promise<void>>();
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;

  constructor(
    private readonly workload: Workload,
    private readonly options: WorkerOptions,
  ) {
    // A listener for each row at work and each pause, not a leak.
    setMaxListeners(0, this.stopping.signal);
  }

  start(): void {
    this.loop ??= this.work();
  }

  /** Takes nothing more, aborts what runs, and waits until it has let go. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
    await Promise.all(this.running.values());
  }

  private async work(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.takeDue();
      const pause = sleep(this.options.pollMs, undefined, { signal }).catch(() => undefined); // it is stopped
      await Promise.race([pause, ...this.running.values()]);
    }
  }

  private async takeDue(): Promise<void> {
    const { concurrency, logger } = this.options;
    const free = concurrency - this.running.size;
    if (free === 0) return;
    try {
      const ids = await this.workload.due(free, [...this.running.keys()]);
      for (const id of ids) this.running.set(id, this.runOne(id));
    } catch (error) {
      logger.error(`${this.workload.name}: could not look for work`, error);
    }
  }

  private async runOne(id: number): Promise<void> {
    try {
      await this.workload.run(id, this.stopping.signal);
    } catch (error) {
      this.options.logger.error(`${this.workload.name}: ${id} was not finished`, error);
    } finally {
      this.running.delete(id);
    }
  }
}
