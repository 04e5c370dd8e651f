import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { Metrics } from '../observability/metrics/metrics.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { Places, rowIdOf, type RowEnd } from '../queue/index.js';
import { traced } from '../observability/tracing/tracing.js';
import { WriteBackWriter, type WriteBackResult } from './writer.js';

const AT_ONCE = 64;
/** The most write-backs of one store at once. More would only wait together: the connector keeps to the rate limit of the store. */
const OF_STORE = 8;

@Processor('write-backs', { concurrency: AT_ONCE })
export class WriteBacksProcessor extends WorkerHost {
  readonly #places: Places;

  constructor(
    private readonly writer: WriteBackWriter,
    private readonly writeBacks: WriteBackRepository,
    private readonly metrics: Metrics,
  ) {
    super();
    this.#places = new Places({ ofSide: OF_STORE, putOff: (store) => writeBacks.putOff(store) });
  }

  async process(job: Pick<Job, 'data'>): Promise<void> {
    const id = rowIdOf(job);
    const store = await this.writeBacks.storeOf(id);
    if (store !== null) await this.#places.work(store, id, (row) => this.#write(row));
  }

  async #write(id: string): Promise<RowEnd> {
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
    return result === null || result.state === 'postponed' ? 'open' : 'settled';
  }

  #count({ store, state, conflicts, gates = [] }: WriteBackResult): void {
    this.metrics.writeBacks.inc({ state });
    for (const gate of gates) this.metrics.gateFindings.inc({ store, gate });
    if (conflicts > 0) this.metrics.writeBackConflicts.inc({ store }, conflicts);
  }
}
