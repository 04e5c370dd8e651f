import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { errorLine } from '../domain/errors.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { GaugeRepository } from '../persistence/gauge.repository.js';
import { StatusRepository } from '../persistence/status.repository.js';
import { JOB_QUEUES, JobProducer, type QueueName } from '../queue/index.js';
import { Logger } from '../runtime/logger.js';
import { Connections } from '../connections/connections.js';
import { StateGauges } from './state-gauges.js';

const JOB_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

/** Adds to the metrics what rows and queues hold when Prometheus asks. */
@Injectable()
export class StateMetrics implements OnModuleInit {
  readonly #log: Logger;

  constructor(
    private readonly metrics: Metrics,
    private readonly gauges: GaugeRepository,
    private readonly status: StatusRepository,
    private readonly connections: Connections,
    private readonly jobs: JobProducer,
    @Inject(JOB_QUEUES) private readonly queues: ReadonlyMap<QueueName, Queue>,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'metrics' });
  }

  onModuleInit(): void {
    const workspaces = (): string[] => this.connections.workspaces.map(({ key }) => key);
    const stores = (): string[] => this.connections.stores.map(({ key }) => key);
    const begin = (): void => {
      this.metrics.begin(workspaces(), stores());
    };
    begin();
    this.connections.onReplaced(begin);
    const gauges = new StateGauges(this.metrics.registry, {
      backlog: () => this.gauges.backlog(),
      workspaces: () => this.gauges.workspaces(workspaces()),
      stores: () => this.gauges.stores(stores()),
      held: () => this.status.held(stores()),
      queues: () => this.#jobs(),
      lostJobs: () => this.jobs.failures,
      clockMs: () => performance.now(),
      onFault: (side, error) => {
        this.#log.warn({ side, err: errorLine(error) }, 'metrics could not be read');
      },
    });
    this.metrics.beforeText(() => gauges.refresh());
  }

  async #jobs() {
    return (await Promise.all([...this.queues.values()].map(jobsOf))).flat();
  }
}

async function jobsOf(queue: Queue) {
  const counts = await queue.getJobCounts(...JOB_STATES);
  return Object.entries(counts).map(([state, count]) => ({ queue: queue.name, state, count }));
}
