import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Optional } from '@nestjs/common';
import { CodedError } from '../domain/errors.js';
import { presentRun } from '../operations/present-run.js';
import { ActionRepository } from '../persistence/action.repository.js';
import type { SyncActionEntity, SyncRunEntity } from '../persistence/entities/index.js';
import { RunRepository } from '../persistence/run.repository.js';
import { RunWorker } from '../sync/run-worker.js';
import { print, printJson } from './output.js';
import { ProgressReport } from './progress.js';
import { runFailure, runSummary } from './run-summary.js';
import { SilenceLines } from './silence-lines.js';
import { printable } from './terminal.js';

const FOLLOW_EVERY_MS = 500;
const FAILURES_SHOWN = 20;

/** Brings a run to its end at the terminal. */
@Injectable()
export class RunFollower {
  constructor(
    private readonly worker: RunWorker,
    private readonly runs: RunRepository,
    private readonly actions: ActionRepository,
    @Optional() private readonly silence?: SilenceLines,
  ) {}

  /** Works the run, or follows it while another process does; takes it over when that process lets go of it. */
  async toEnd(id: string, signal: AbortSignal): Promise<SyncRunEntity> {
    const progress = new ProgressReport(process.stderr);
    try {
      for (;;) {
        const worked = await this.worker.work(id, signal, (step) => {
          progress.show(step);
        });
        const run = worked ?? (await this.runs.get(id));
        if (run === null) throw new CodedError('not_found', `run ${id} no longer exists`);
        if (run.state !== 'queued' && run.state !== 'running') return run;
        if (worked === null) await this.silence?.tellOf(run);
        if (signal.aborted)
          throw new CodedError('transient', `interrupted: the next start or sync resumes run ${id}`);
        await sleep(FOLLOW_EVERY_MS, undefined, { signal });
      }
    } finally {
      progress.end();
    }
  }

  /** Prints how a run ended, for people or as one document. The exit status: 0 done, 3 done with item failures, 1 error. */
  async report(run: SyncRunEntity, json: boolean | undefined): Promise<number> {
    const presented = presentRun(run);
    if (json) printJson(presented);
    else {
      print(runSummary(presented));
      const failures = await this.actions.failures(run.id, FAILURES_SHOWN);
      for (const failure of failures) print(`  failed  ${failureLine(failure)}`);
    }
    if (run.state === 'failed')
      process.stderr.write(`store-sync: ${runFailure(presented) ?? run.notes[0] ?? 'the run failed'}\n`);
    if (run.state === 'succeeded') return 0;
    return run.state === 'partial' ? 3 : 1;
  }
}

function failureLine({ externalId, label, error }: SyncActionEntity): string {
  const fields = Object.entries(error?.fields ?? {}).map(
    ([field, messages]) => `${field}: ${messages.join(' ')}`,
  );
  const why = [error?.message ?? 'unknown', ...fields].join('; ');
  return `${externalId} ${printable(label)}: ${printable(why, 400)}`;
}
