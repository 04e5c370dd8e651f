import { Injectable } from '@nestjs/common';
import { JobProducer } from '../queue/index.js';
import type { RowWorkPort } from './row-work.js';

/** The daemon enqueues a job for each row. */
@Injectable()
export class EnqueuedRowWork implements RowWorkPort {
  constructor(private readonly jobs: JobProducer) {}

  async deliveries(ids: readonly string[]): Promise<void> {
    await this.jobs.enqueueMany('deliveries', ids);
  }

  async writeBacks(ids: readonly string[], delayMs = 0): Promise<void> {
    await this.jobs.enqueueMany('write-backs', ids, { delayMs });
  }

  async run(id: string): Promise<void> {
    await this.jobs.enqueue('runs', id);
  }

  async endRun(id: string): Promise<void> {
    await this.jobs.enqueue('runs', id);
  }

  async bulkChange(id: string): Promise<void> {
    await this.jobs.enqueue('bulk-changes', id);
  }
}
