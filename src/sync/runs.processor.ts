import { Processor, WorkerHost } from '@nestjs/bullmq';
import pLimit from 'p-limit';
import { Metrics } from '../observability/metrics/metrics.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import { Shutdown } from '../runtime/shutdown.js';
import type { ClaimedRun } from './run-hold.js';
import { RunWorker } from './run-worker.js';

/** Runs of one process at the same time that get answers. Nearly all of them wait: for an export, or for the rate of a service. */
const RUNS_AT_ONCE = 100;
/** The most runs of one workspace at once, so that as many places are left for the others. */
const RUNS_OF_WORKSPACE = RUNS_AT_ONCE / 2;
/** A run that has had no answer for this long takes no place, so that it does not hold up runs whose sides answer. */
const SILENT_AFTER_MS = 5_000;
/** With those whose sides hang. A waiting run costs some 0.4 MB, a connection to its side, and a statement every six seconds. */
const RUNS_WITH_SILENT = 200;

/**
 * Runs of different stores work side by side. A job only wakes a worker: the rows say which run is due, the longest first. So a queue that
 * lost its order, or has a job twice, changes nothing.
 */
@Processor('runs', { concurrency: RUNS_WITH_SILENT })
export class RunsProcessor extends WorkerHost {
  readonly #underWay = new Set<ClaimedRun>();
  /** The places are counted before each claim, so one claim follows the other. */
  readonly #inTurn = pLimit(1);

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
      const claimed = await this.#inTurn(() => this.#claim());
      if (claimed === null) return;
      try {
        const ended = await this.runWorker.workClaimed(claimed, signal);
        if (ended !== null) this.#ended(ended);
      } finally {
        this.#underWay.delete(claimed);
      }
    }
  }

  /** Null when no run is due, or none has a place. The sweep wakes a worker again. */
  async #claim(): Promise<ClaimedRun | null> {
    const since = performance.now() - SILENT_AFTER_MS;
    const answered = [...this.#underWay].filter(({ requests }) => requests.answeredAtMs >= since);
    if (answered.length >= RUNS_AT_ONCE) return null;
    const claimed = await this.runWorker.claimNext(fullWorkspaces(answered));
    if (claimed !== null) this.#underWay.add(claimed);
    return claimed;
  }

  #ended({ store, state, kind, startedAt, finishedAt }: SyncRunEntity): void {
    this.metrics.runs.inc({ store, state });
    if (startedAt !== null && finishedAt !== null)
      this.metrics.runSeconds.observe({ store, kind }, (finishedAt.getTime() - startedAt.getTime()) / 1000);
  }
}

function fullWorkspaces(runs: readonly ClaimedRun[]): string[] {
  const counts = new Map<string, number>();
  for (const { run } of runs) counts.set(run.workspace, (counts.get(run.workspace) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= RUNS_OF_WORKSPACE).map(([workspace]) => workspace);
}
