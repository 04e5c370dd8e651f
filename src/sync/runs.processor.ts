import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { Metrics } from '../observability/metrics/metrics.js';
import { rowIdOf } from '../queue/index.js';
import { Shutdown } from '../runtime/shutdown.js';
import { RunWorker } from './run-worker.js';

/** Runs of different stores work side by side. The lease allows one worker per run. */
@Processor('runs', { concurrency: 4 })
export class RunsProcessor extends WorkerHost {
  constructor(
    private readonly runWorker: RunWorker,
    private readonly shutdown: Shutdown,
    private readonly metrics: Metrics,
  ) {
    super();
  }

  async process(job: Job): Promise<void> {
    const ended = await this.runWorker.work(rowIdOf(job), this.shutdown.signal);
    if (!ended) return;
    const { store, state, kind, startedAt, finishedAt } = ended;
    this.metrics.runs.inc({ store, state });
    if (startedAt !== null && finishedAt !== null)
      this.metrics.runSeconds.observe({ store, kind }, (finishedAt.getTime() - startedAt.getTime()) / 1000);
  }
}
