import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { counted } from '../domain/text.js';
import { bulkApprovalSummary } from '../operations/approval-summary.js';
import { actingUser } from '../operations/audit.js';
import { BulkOperations, type BulkRequest, type PresentedBulkChange } from '../operations/bulk-changes.js';
import { BulkWorker } from '../write-back/bulk-worker.js';
import { WriteBackWriter } from '../write-back/writer.js';
import { confirm } from './confirm.js';
import { print, printJson } from './output.js';
import { printable } from './terminal.js';
import { reportFailure } from './report.js';

const FOLLOW_EVERY_MS = 500;

export interface BulkOptions {
  readonly json: boolean;
  /** The change is confirmed already. */
  readonly yes: boolean;
  /** Hands the rest over when the command is interrupted. */
  readonly signal: AbortSignal;
}

/** Brings a bulk change to its end at the terminal. */
@Injectable()
export class BulkFollower {
  constructor(
    private readonly changes: BulkOperations,
    private readonly worker: BulkWorker,
    private readonly writer: WriteBackWriter,
  ) {}

  /**
   * Counts, asks, and works the change; follows it while another process does. The exit status is 0 when every row was changed, 3 when an
   * approval left some to the merchant or a gate, and 1 when one was refused for another reason or the change did not end.
   */
  async run(request: BulkRequest, { json, yes, signal }: BulkOptions): Promise<number> {
    const { action, filter, dryRun } = request;
    const { count, until } = await this.changes.count(action, filter);
    if (count === 0) {
      process.stderr.write(`no write-backs match\n`);
      if (json)
        printJson({
          action,
          dryRun,
          matching: 0,
          done: 0,
          refused: 0,
          leftEdited: 0,
          leftGated: 0,
          items: [],
        });
      return 0;
    }
    if (!dryRun)
      await confirm(
        {
          approve: `Approve ${counted(count, 'write-back')}, and write ${count === 1 ? 'it' : 'them'} to the live shop?`,
          reject: `Reject ${counted(count, 'write-back')}?`,
          revert: `Revert ${counted(count, 'write-back')} in the live shop?`,
          reapply: `Write the texts of ${counted(count, 'reverted write-back')} to the live shop again?`,
        }[action],
        yes,
      );
    const { id } = await this.changes.request({ ...request, until }, actingUser());
    const ended = await this.#toEnd(id, json, signal);
    if (json) printJson(ended);
    else print(summaryOf(ended));
    return this.#status(ended);
  }

  async #toEnd(id: string, json: boolean, signal: AbortSignal): Promise<PresentedBulkChange> {
    for (;;) {
      await this.worker.work(id, {
        signal,
        wake: async (ids) => {
          for (const each of ids) await this.writer.write(each);
        },
        onItem: ({ id: row, externalId, ok, detail, fields }) => {
          if (json) return;
          print(`${row}  ${externalId}  ${ok ? '' : 'left as it is: '}${printable(detail)}`);
          for (const { target, outcome, reason } of fields)
            if (outcome !== 'reverted') print(`    ${target}: ${printable(reason)}`);
        },
      });
      const change = await this.changes.show(id);
      if (!['queued', 'running'].includes(change.state)) return change;
      if (signal.aborted || (change.state === 'queued' && change.reason !== null)) return change;
      await sleep(FOLLOW_EVERY_MS, undefined, { signal }).catch(() => undefined); // interrupted: the loop ends
    }
  }

  #status(change: PresentedBulkChange): number {
    const { state, refused, dryRun, leftEdited, leftGated } = change;
    const left = leftEdited + leftGated;
    if (state === 'done' && (refused === 0 || dryRun)) return 0;
    if (state === 'done') return refused > left ? 1 : 3;
    reportFailure(notDone(change));
    return 1;
  }
}

function notDone({ id, state, reason }: PresentedBulkChange): string {
  if (state === 'queued' || state === 'running')
    return `${reason ?? 'interrupted'}: a daemon continues bulk change ${id}; to stop it, cancel it on the dashboard under Bulk changes`;
  return `bulk change ${id} is ${state}${reason === null ? '' : `: ${reason}`}`;
}

const DONE = { reject: 'rejected', revert: 'reverted', reapply: 'written again' } as const;

function summaryOf(change: PresentedBulkChange): string {
  const { action, dryRun, matching, done, refused } = change;
  if (action === 'approve') return bulkApprovalSummary(change);
  return dryRun
    ? `${counted(matching, 'write-back')}: ${done} would be reverted, ${refused} would be left unchanged; nothing was written`
    : `${String(done)} ${DONE[action]}, ${String(refused)} left unchanged`;
}
