import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { JobProducer, rowIdOf } from '../queue/index.js';
import { Shutdown } from '../runtime/shutdown.js';
import { BulkWorker } from './bulk-worker.js';

/** Processes bulk changes of write-backs. Rows that become ready go to their own queue. */
@Processor('bulk-changes', { concurrency: 16 })
export class BulkChangesProcessor extends WorkerHost {
  constructor(
    private readonly changes: BulkWorker,
    private readonly jobs: JobProducer,
    private readonly shutdown: Shutdown,
  ) {
    super();
  }

  async process(job: Pick<Job, 'data'>): Promise<void> {
    await this.changes.work(rowIdOf(job), {
      signal: this.shutdown.signal,
      wake: async (ids) => {
        await this.jobs.enqueueMany('write-backs', ids);
      },
    });
  }
}
