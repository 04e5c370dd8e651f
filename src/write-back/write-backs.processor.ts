import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Inject } from '@nestjs/common';
import type { Job } from 'bullmq';
import { Metrics } from '../metrics/metrics.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { rowIdOf } from '../queue/index.js';
import { traced } from '../tracing/tracing.js';
import { WriteBackWriter, type WriteBackResult } from './writer.js';

/** The store's own limit paces the work: the connector waits for it, so that more at once would only wait together. */
@Processor('write-backs', { concurrency: 8 })
export class WriteBacksProcessor extends WorkerHost {
  constructor(
    @Inject(WriteBackWriter) private readonly writer: WriteBackWriter,
    @Inject(WriteBackRepository) private readonly writeBacks: WriteBackRepository,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {
    super();
  }

  async process(job: Pick<Job, 'data'>): Promise<void> {
    const id = rowIdOf(job);
    const result = await traced(
      'write back',
      { 'write_back.id': id },
      async (span) => {
        const written = await this.writer.write(id);
        span.note({ 'write_back.state': written?.state ?? 'not ready' });
        return written;
      },
      'consumer',
    );
    if (result) await this.#count(result);
  }

  async #count({ id, state }: WriteBackResult): Promise<void> {
    this.metrics.writeBacks.inc({ state });
    if (state !== 'applied' && state !== 'conflicted') return;
    const row = await this.writeBacks.get(id);
    const conflicts = row?.fields.filter((field) => field.outcome === 'conflict').length ?? 0;
    if (row && conflicts > 0) this.metrics.writeBackConflicts.inc({ store: row.store }, conflicts);
  }
}
