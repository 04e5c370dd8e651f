import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { Metrics } from '../observability/metrics/metrics.js';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import { JobProducer, Places, rowIdOf, type RowEnd } from '../queue/index.js';
import { traced } from '../observability/tracing/tracing.js';
import { DeliveryInterpreter } from './interpreter.js';

const AT_ONCE = 32;
/** The most deliveries of one workspace at once. */
const OF_WORKSPACE = 8;

@Processor('deliveries', { concurrency: AT_ONCE })
export class DeliveriesProcessor extends WorkerHost {
  readonly #places: Places;

  constructor(
    private readonly interpreter: DeliveryInterpreter,
    private readonly deliveries: DeliveryRepository,
    private readonly jobs: JobProducer,
    private readonly metrics: Metrics,
  ) {
    super();
    this.#places = new Places({ ofSide: OF_WORKSPACE, putOff: (workspace) => deliveries.putOff(workspace) });
  }

  async process(job: Job): Promise<void> {
    const id = rowIdOf(job);
    const workspace = await this.deliveries.workspaceOf(id);
    if (workspace !== null) await this.#places.work(workspace, id, (row) => this.#interpret(row));
  }

  async #interpret(id: string): Promise<RowEnd> {
    const { state, writeBackId } = await traced(
      'interpret delivery',
      { 'delivery.id': id },
      async (span) => {
        const found = await this.interpreter.interpret(id);
        span.note({ 'delivery.state': found.state ?? 'not due' });
        if (found.state !== null) this.metrics.interpreted.inc({ outcome: found.state });
        return found;
      },
      'consumer',
    );
    if (writeBackId !== null) await this.jobs.enqueue('write-backs', writeBackId);
    return state === null || state === 'received' ? 'open' : 'settled';
  }
}
