import { Processor, WorkerHost } from '@nestjs/bullmq';
import { Metrics } from '../observability/metrics/metrics.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import { Shutdown } from '../runtime/shutdown.js';
import { RunWorker } from './run-worker.js';

/** Runs of one process at the same time. Nearly all of them wait: for an export, for the pace of a service, for the next try. */
const RUNS_AT_ONCE = 100;
/** Of one workspace. One that does not answer leaves as many for the others. */
const RUNS_OF_WORKSPACE = RUNS_AT_ONCE / 2;

/**
 * Runs of different stores work side by side. A job only wakes a worker: the rows say which run is due, the longest first. So a queue that
 * lost its order, or has a job twice, changes nothing.
 */
@Processor('runs', { concurrency: RUNS_AT_ONCE })
export class RunsProcessor extends WorkerHost {
  /** How many runs of each workspace are under way here. */
  readonly #underWay = new Map<string, number>();

  constructor(
    private readonly runWorker: RunWorker,
    private readonly shutdown: Shutdown,
    private readonly metrics: Metrics,
  ) {
    super();
  }

  async process(): Promise<void> {
    const { signal } = this.shutdown;
    while (!signal.aborted) {
      let giveUpPlace = (): void => undefined;
      try {
        const worked = await this.runWorker.workNext(signal, this.#full(), ({ workspace }) => {
          this.#count(workspace, 1);
          giveUpPlace = () => {
            this.#count(workspace, -1);
          };
        });
        if (worked === null) return;
        if (worked.ended !== null) this.#ended(worked.ended);
      } finally {
        giveUpPlace();
      }
    }
  }

  #full(): string[] {
    return [...this.#underWay]
      .filter(([, runs]) => runs >= RUNS_OF_WORKSPACE)
      .map(([workspace]) => workspace);
  }

  #count(workspace: string, change: number): void {
    this.#underWay.set(workspace, (this.#underWay.get(workspace) ?? 0) + change);
  }

  #ended({ store, state, kind, startedAt, finishedAt }: SyncRunEntity): void {
    this.metrics.runs.inc({ store, state });
    if (startedAt !== null && finishedAt !== null)
      this.metrics.runSeconds.observe({ store, kind }, (finishedAt.getTime() - startedAt.getTime()) / 1000);
  }
}
