import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { CodedError } from '../domain/errors.js';
import { isUnderWay, presentRun, type PresentedRun } from '../operations/present-run.js';
import { runItemQuerySchema } from '../operations/run-items.js';
import { RunOperations } from '../operations/runs.js';
import { RunWorker } from '../sync/run-worker.js';
import { print, printJson } from './output.js';
import { ProgressReport } from './progress.js';
import { runFailure, runSummary } from './run-summary.js';
import { SilenceLines } from './silence-lines.js';
import { printable } from './terminal.js';
import { reportFailure } from './report.js';

const FOLLOW_EVERY_MS = 500;
const FAILURES_SHOWN = 20;

/** Brings a run to its end at the terminal. */
@Injectable()
export class RunFollower {
  constructor(
    @Inject(RunWorker) private readonly worker: Pick<RunWorker, 'work'>,
    @Inject(RunOperations) private readonly runs: Pick<RunOperations, 'show' | 'itemPage'>,
    @Optional() private readonly silence?: SilenceLines,
  ) {}

  /** Works the run, or follows it while another process does; takes it over when that process lets go of it. */
  async toEnd(id: string, signal: AbortSignal): Promise<PresentedRun> {
    const progress = new ProgressReport(process.stderr);
    try {
      for (;;) {
        const worked = await this.worker.work(id, signal, (step) => {
          progress.show(step);
        });
        const run = worked === null ? await this.runs.show(id) : presentRun(worked);
        if (!isUnderWay(run)) return run;
        if (worked === null) await this.silence?.tellOf(run);
        if (signal.aborted)
          throw new CodedError('transient', `interrupted: the next start or sync resumes run ${id}`);
        await sleep(FOLLOW_EVERY_MS, undefined, { signal }).catch(() => undefined); // interrupted: the loop ends
      }
    } finally {
      progress.end();
    }
  }

  /** Prints how a run ended, for people or as one document. The exit status: 0 done, 3 done with item failures, 1 error. */
  async report(run: PresentedRun, json: boolean | undefined): Promise<number> {
    if (json) printJson(run);
    else {
      print(runSummary(run));
      const query = runItemQuerySchema.parse({ outcome: 'failed', limit: FAILURES_SHOWN });
      for (const { externalId, label, reason } of (await this.runs.itemPage(run.id, query)).items)
        print(`  failed  ${externalId} ${printable(label)}: ${printable(reason, 400)}`);
    }
    if (run.status === 'failed') reportFailure(runFailure(run) ?? run.notes[0] ?? 'the run failed');
    if (run.status === 'succeeded') return 0;
    return run.status === 'partial' ? 3 : 1;
  }
}
