import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { Metrics } from '../observability/metrics/metrics.js';
import { rowIdOf } from '../queue/index.js';
import { traced } from '../observability/tracing/tracing.js';
import { WriteBackWriter, type WriteBackResult } from './writer.js';

/** The store's limit sets the pace. The connector waits for it, so more concurrent jobs would only wait together. */
@Processor('write-backs', { concurrency: 8 })
export class WriteBacksProcessor extends WorkerHost {
  constructor(
    private readonly writer: WriteBackWriter,
    private readonly metrics: Metrics,
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
    if (result) this.#count(result);
  }

  #count({ store, state, conflicts, gates = [] }: WriteBackResult): void {
    this.metrics.writeBacks.inc({ state });
    for (const gate of gates) this.metrics.gateFindings.inc({ store, gate });
    if (conflicts > 0) this.metrics.writeBackConflicts.inc({ store }, conflicts);
  }
}
