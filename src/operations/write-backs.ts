import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CodedError, isCoded } from '../domain/errors.js';
import type { WriteBackFilter } from '../domain/write-back-filter.js';
import { ListingRepository } from '../persistence/listing.repository.js';
import {
  WriteBackDecisions,
  type DecisionOutcome,
  type UndoOutcome,
} from '../persistence/write-back-decisions.repository.js';
import { WriteBackRepository, type DecidedBy } from '../persistence/write-back.repository.js';
import { editedValue } from '../planner/edited-value.js';
import { pageOf, type Page, type RowOutcome } from './paging.js';
import { ReapplierPort, RowWorkPort, WriteBackReverterPort } from './ports.js';
import { presentWriteBack, type PresentedWriteBack } from './present-write-back.js';
import { filterOfQuery, type WriteBackQuery } from './write-back-filter.js';

/** The reason why an older result is not approved. */
export const NEWER_RESULT =
  'is older than another result of the same product: decide on that one, or reject it first';

export type Decision = 'approve' | 'reject' | 'revert' | 'undo' | 'reapply';

export const rejectionSchema = z.object({
  reason: z.string().trim().min(1).max(500).optional().describe('why it is rejected'),
});
export const editSchema = z.strictObject({
  target: z.string().min(1).max(300),
  value: z.string().max(100_000),
});

/** The person, and what they say about the decision. */
export interface DecisionBy extends DecidedBy {
  readonly reason?: string | undefined;
  readonly delayMs?: number;
}

/** Reviews intended writes to the store, and reverts applied ones. */
@Injectable()
export class WriteBackOperations {
  constructor(
    private readonly writeBacks: WriteBackRepository,
    private readonly decisions: WriteBackDecisions,
    private readonly listing: ListingRepository,
    private readonly work: RowWorkPort,
    private readonly reverter: WriteBackReverterPort,
    private readonly reapplier: ReapplierPort,
  ) {}

  async list(query: WriteBackQuery): Promise<Page<PresentedWriteBack>> {
    return pageOf(await this.listing.writeBacks(query, filterOfQuery(query)), query, presentWriteBack);
  }

  /** Write-backs of each state that match the rest of the filter. */
  async counts(filter: WriteBackFilter): Promise<Record<string, number>> {
    return this.listing.writeBackCounts(filter);
  }

  /** Null for an unknown id. */
  async show(id: string): Promise<PresentedWriteBack | null> {
    const row = await this.writeBacks.get(id);
    return row === null ? null : presentWriteBack(row);
  }

  /** Decides about each row by itself. A refused row has its reason, and the others continue. */
  async decide(ids: readonly string[], decision: Decision, by: DecisionBy): Promise<RowOutcome[]> {
    const unique = [...new Set(ids)];
    const outcomes: RowOutcome[] = [];
    switch (decision) {
      case 'revert':
        for (const id of unique) outcomes.push(await this.#revert(id, by));
        return outcomes;
      case 'undo':
        for (const id of unique) outcomes.push(await this.#undo(id, by));
        return outcomes;
      case 'reapply':
        for (const id of unique) outcomes.push(await this.#reapply(id, by));
        return outcomes;
      case 'approve':
      case 'reject':
        return this.#decide(unique, decision, by);
    }
  }

  async #decide(
    ids: readonly string[],
    decision: 'approve' | 'reject',
    by: DecisionBy,
  ): Promise<RowOutcome[]> {
    const outcomes = new Map<string, DecisionOutcome>();
    for (const id of ids) outcomes.set(id, await this.decisions.decide(id, decision, by));
    const decided = ids.filter((id) => outcomes.get(id) === 'decided');
    if (decision === 'approve') await this.work.writeBacks(decided, by.delayMs);
    return Promise.all(ids.map((id) => this.#decided(id, decision, outcomes.get(id) ?? 'wrong_state')));
  }

  async #decided(id: string, decision: 'approve' | 'reject', outcome: DecisionOutcome): Promise<RowOutcome> {
    const row = await this.writeBacks.get(id);
    if (row === null) return unknown(id);
    if (outcome !== 'decided') {
      const detail =
        outcome === 'newer_result'
          ? `write-back ${id} ${NEWER_RESULT}`
          : `write-back ${id} is ${row.state}: it cannot be ${decision === 'approve' ? 'approved' : 'rejected'}`;
      return { id, ok: false, state: row.state, detail };
    }
    const detail =
      row.state === 'ready'
        ? 'approved; it is written next'
        : `${row.state}: ${row.reason ?? 'no reason given'}`;
    return { id, ok: true, state: row.state, detail };
  }

  async #undo(id: string, by: DecidedBy): Promise<RowOutcome> {
    const outcome = await this.decisions.undo(id, by);
    const row = await this.writeBacks.get(id);
    if (row === null) return unknown(id);
    const { state } = row;
    if (outcome === 'decided')
      return { id, ok: true, state, detail: 'the decision was taken back; it waits for review' };
    return { id, ok: false, state, detail: `write-back ${id} ${UNDO_REFUSALS[outcome](state)}` };
  }

  async #reapply(id: string, by: DecidedBy): Promise<RowOutcome> {
    const added = await this.reapplier.reapply(id, by);
    const row = await this.writeBacks.get(id);
    if (row === null) return unknown(id);
    if (typeof added === 'string') {
      const why =
        added === 'newer_result'
          ? 'cannot be applied again: a later write-back of the product stands'
          : `is ${row.state}: only a reverted one can be applied again`;
      return { id, ok: false, state: row.state, detail: `write-back ${id} ${why}` };
    }
    await this.work.writeBacks([added.id]);
    const state = (await this.writeBacks.get(added.id))?.state ?? null;
    return { id: added.id, ok: true, state, detail: `applied again as ${added.id}: ${state ?? 'unknown'}` };
  }

  /**
   * Replaces the text of one field before the approval. The text is sanitised, and the original stays in the row. Throws `not_found` for an
   * unknown id or field, `conflict` when the write-back is decided, `invalid` when sanitising leaves no text.
   */
  async edit(
    id: string,
    { target, value }: z.output<typeof editSchema>,
    by: DecidedBy,
  ): Promise<PresentedWriteBack> {
    const row = await this.writeBacks.get(id);
    if (row === null) throw new CodedError('not_found', `no write-back ${id.slice(0, 100)}`);
    const old = row.intended.find((each) => each.target === target);
    if (old === undefined)
      throw new CodedError('not_found', `write-back ${id} has no field ${target.slice(0, 100)}`);
    const edited = editedValue(old, value);
    if (edited === null)
      throw new CodedError('invalid', `${target}: this text cannot be written; reject the field instead`);
    const intended = row.intended.map((each) => (each === old ? edited : each));
    if (!(await this.decisions.edit(id, target, intended, by)))
      throw new CodedError('conflict', `write-back ${id} is ${row.state}: it cannot be edited`);
    return presentWriteBack((await this.writeBacks.get(id)) ?? row);
  }

  async #revert(id: string, by: DecidedBy): Promise<RowOutcome> {
    try {
      const fields = await this.reverter.revert(id, by);
      const count = (outcome: string): number => fields.filter((field) => field.outcome === outcome).length;
      const left = count('not_ours');
      const detail = `${String(count('reverted'))} fields put back${left > 0 ? `, ${String(left)} left alone: no longer ours` : ''}`;
      return { id, ok: true, state: 'reverted', detail };
    } catch (error) {
      if (!isCoded(error)) throw error;
      const row = await this.writeBacks.get(id);
      return row === null ? unknown(id) : { id, ok: false, state: row.state, detail: error.message };
    }
  }
}

const UNDO_REFUSALS: Readonly<Record<Exclude<UndoOutcome, 'decided'>, (state: string) => string>> = {
  newer_result: () => NEWER_RESULT,
  wrong_state: (state) => `is ${state}: there is no decision to take back`,
  being_written: () => 'is being written, or part of it is: revert it afterwards',
};

function unknown(id: string): RowOutcome {
  return { id, ok: false, state: null, detail: `no write-back ${id.slice(0, 100)}` };
}
