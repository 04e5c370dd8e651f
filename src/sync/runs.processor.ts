import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject, type OnApplicationBootstrap } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Metrics } from '../observability/metrics/metrics.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import { Clock } from '../runtime/clock.js';
import { Shutdown } from '../runtime/shutdown.js';
import { RunWorker } from './run-worker.js';

/** Between two looks for runs while those that are due wait for the catalog's listing. */
const LOOK_MS = 500;

/**
 * Runs of different stores work side by side. A job only wakes a worker: the rows say which run is due, in the order of their turns. So
 * a queue that lost its order, or has a job twice, changes nothing.
 */
@Processor('runs')
export class RunsProcessor extends WorkerHost implements OnApplicationBootstrap {
  constructor(
    private readonly runWorker: RunWorker,
    private readonly shutdown: Shutdown,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    @Inject(APP_CONFIG) private readonly config: Pick<AppConfig, 'queue'>,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.config.queue.runsAtOnce;
  }

  async process(): Promise<void> {
    const { signal } = this.shutdown;
    while (!signal.aborted) {
      const worked = await this.runWorker.workNext(signal);
      if (worked.kind === 'none') return;
      if (worked.kind === 'waiting') await this.clock.sleep(LOOK_MS, signal).catch(() => undefined);
      if (worked.kind === 'ended') this.#count(worked.run);
    }
  }

  #count({ store: key, state, kind, startedAt, finishedAt }: SyncRunEntity): void {
    const store = this.metrics.storeLabel(key);
    this.metrics.runs.inc({ store, state });
    if (startedAt !== null && finishedAt !== null)
      this.metrics.runSeconds.observe({ store, kind }, (finishedAt.getTime() - startedAt.getTime()) / 1000);
  }
}
