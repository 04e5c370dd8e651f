import { getQueueToken } from '@nestjs/bullmq';
import type { Provider } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { errorLine } from './domain/errors.js';
import { Metrics } from './observability/metrics/metrics.js';
import { RowWork } from './operations/ports.js';
import { GaugeRepository } from './persistence/gauge.repository.js';
import { Nudger, QUEUE_NAMES } from './queue/index.js';
import type { RowLog } from './runtime/logger.js';
import { Sites } from './sites/sites.js';

const JOB_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

/** In the daemon metrics tell of rows and queues too. */
export const stateMetrics = (log: RowLog): Provider => ({
  provide: Symbol('STATE_METRICS'),
  inject: [Metrics, GaugeRepository, Sites, Nudger, ...QUEUE_NAMES.map((name) => getQueueToken(name))],
  useFactory: (
    metrics: Metrics,
    gauges: GaugeRepository,
    sites: Sites,
    nudger: Nudger,
    ...queues: Queue[]
  ): Metrics => {
    metrics.begin(
      sites.workspaces.map(({ key }) => key),
      sites.stores.map(({ key }) => key),
    );
    metrics.watch({
      backlog: () => gauges.backlog(),
      workspaces: () => gauges.workspaces(sites.workspaces.map(({ key }) => key)),
      stores: () => gauges.stores(sites.stores.map(({ key }) => key)),
      queues: async () => (await Promise.all(queues.map(jobsOf))).flat(),
      lostNudges: () => nudger.failures,
      clockMs: () => performance.now(),
      onFault: (side, error) => {
        log.warn({ side, err: errorLine(error) }, 'metrics could not be read');
      },
    });
    return metrics;
  },
});

async function jobsOf(queue: Queue) {
  const counts = await queue.getJobCounts(...JOB_STATES);
  return Object.entries(counts).map(([state, count]) => ({ queue: queue.name, state, count }));
}

/** In the daemon rows are nudged: its workers look at them. */
export const NUDGED_WORK: readonly Provider[] = [
  {
    provide: RowWork,
    inject: [Nudger],
    useFactory: (nudger: Nudger): RowWork => ({
      deliveries: async (ids) => {
        await nudger.nudgeMany('deliveries', ids);
      },
      writeBacks: async (ids) => {
        await nudger.nudgeMany('write-backs', ids);
      },
      run: async (id) => {
        await nudger.nudge('runs', id);
      },
    }),
  },
];
