import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { Metrics } from '../observability/metrics/metrics.js';
import { JobProducer, rowIdOf } from '../queue/index.js';
import { traced } from '../observability/tracing/tracing.js';
import { DeliveryInterpreter } from './interpreter.js';

@Processor('deliveries', { concurrency: 8 })
export class DeliveriesProcessor extends WorkerHost {
  constructor(
    private readonly interpreter: DeliveryInterpreter,
    private readonly jobs: JobProducer,
    private readonly metrics: Metrics,
  ) {
    super();
  }

  async process(job: Job): Promise<void> {
    const id = rowIdOf(job);
    const { writeBackId } = await traced(
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
  }
}
