import { counted } from '../domain/text.js';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { Approval, DecisionOutcome, Permissions } from '../domain/approval.js';
import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import type { WriteBackFilter } from '../domain/write-back-filter.js';
import type { WriteBackEntity } from '../persistence/entities/index.js';
import { ListingRepository } from '../persistence/listing.repository.js';
import { WriteBackDecisions, type UndoOutcome } from '../persistence/write-back-decisions.repository.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { WriteBackRepository, type DecidedBy } from '../persistence/write-back.repository.js';
import { editedValue } from '../planner/edited-value.js';
import { found } from './found.js';
import { idsSchema, pageOf, rowOutcomesSchema, type Page, type RowOutcome } from './paging.js';
import { Approver, type ShownValues } from '../write-back/approver.js';
import { Reapplier } from '../write-back/reapplier.js';
import { WriteBackReverter } from '../write-back/reverter.js';
import { RowWorkPort } from './row-work.js';
import { presentWriteBack, type PresentedWriteBack } from './present-write-back.js';
import { filterOfQuery, type WriteBackQuery } from './write-back-filter.js';

/** The reason why an older result is not approved. */
export const NEWER_RESULT =
  'is older than another result of the same product: decide on that one, or reject it first';

export type Decision = 'approve' | 'reject' | 'revert' | 'undo' | 'reapply';

export const rejectionSchema = z.object({
  reason: z.string().trim().min(1).max(500).optional().describe('why it is rejected'),
});
const versionSchema = z.coerce
  .number()
  .int()
  .min(1)
  .max(2_147_483_647)
  .optional()
  .describe('the version that the person saw; refused when somebody edited the text since');
export const approvalSchema = z.strictObject({ version: versionSchema });
export const permissionsSchema = z.strictObject({
  overwriteEdits: z.boolean().default(false).describe('also write fields that the merchant edited since'),
  passGates: z.boolean().default(false).describe('also write texts that a gate holds back'),
});
/** Approvals and rejections of several texts, with the outcome of each. */
export const approveManySchema = idsSchema.extend(permissionsSchema.shape);
export const approvalsSchema = rowOutcomesSchema.extend({
  approved: z.int(),
  leftEdited: z.int().describe('left, in whole or in part, because the merchant edited them'),
  leftGated: z.int().describe('left because a gate holds them back'),
  refused: z.int(),
});
export const rejectManySchema = idsSchema.extend(rejectionSchema.shape);
export const editSchema = z.strictObject({
  target: z.string().min(1).max(300),
  value: z.string().max(100_000),
  version: versionSchema,
});

/** Live looks of one request at the same time. The connectors keep to the limits of their stores. */
const APPROVALS_AT_ONCE = 4;

/** The person, and what they say about the decision. */
export interface DecisionBy extends DecidedBy {
  readonly reason?: string | undefined;
  readonly delayMs?: number;
  /** Of an approval: the fields to write. The others are declined. Absent: all. */
  readonly only?: readonly string[] | undefined;
  /** The version that the person saw. */
  readonly version?: number | undefined;
  /** Of an approval on the text's own page. */
  readonly shown?: ShownValues | undefined;
  /**
   * Of an approval: what it may overwrite. Absent for one text that the person has read: everything. An approval of several texts leaves
   * what the merchant edited and what a gate holds back by default.
   */
  readonly permissions?: Permissions | undefined;
}

const NOTHING_MORE: Permissions = { overwriteEdits: false, passGates: false };

/** Reviews intended writes to the store, and reverts applied ones. */
@Injectable()
export class WriteBackOperations {
  constructor(
    private readonly writeBacks: WriteBackRepository,
    private readonly decisions: WriteBackDecisions,
    private readonly listing: ListingRepository,
    private readonly work: RowWorkPort,
    private readonly reverter: WriteBackReverter,
    private readonly reapplier: Reapplier,
    private readonly approver: Approver,
  ) {}

  async list(query: WriteBackQuery): Promise<Page<PresentedWriteBack>> {
    return pageOf(await this.listing.writeBacks(query, filterOfQuery(query)), query, presentWriteBack);
  }

  /** Write-backs of each state that match the rest of the filter. */
  async counts(filter: WriteBackFilter): Promise<Record<string, number>> {
    return this.listing.writeBackCounts(filter);
  }

  /** Throws `not_found` for an unknown id. */
  async show(id: string): Promise<PresentedWriteBack> {
    return presentWriteBack(found(await this.writeBacks.get(id), 'write-back', id));
  }

  /** Decides about each row by itself. A refused row has its reason, and the others continue. */
  async decide(ids: readonly string[], decision: Decision, by: DecisionBy): Promise<RowOutcome[]> {
    const unique = [...new Set(ids)];
    if (decision === 'approve' && (unique.length > 1 || by.permissions !== undefined))
      return this.#approveMany(unique, by.permissions ?? NOTHING_MORE, by);
    const outcomes: RowOutcome[] = [];
    for (const id of unique) outcomes.push(await this.#decideOne(id, decision, by));
    return outcomes;
  }

  async #decideOne(id: string, decision: Decision, by: DecisionBy): Promise<RowOutcome> {
    switch (decision) {
      case 'approve':
        return this.#approve(id, by);
      case 'reject':
        return this.#decided(id, decision, await this.decisions.decide(id, decision, by));
      case 'revert':
        return this.#revert(id, by);
      case 'undo':
        return this.#undo(id, by);
      case 'reapply':
        return this.#reapply(id, by);
    }
  }

  /** The approval of one text that the person has read. It writes over what the person saw, if the store still holds it. */
  async #approve(id: string, by: DecisionBy): Promise<RowOutcome> {
    const outcome = await this.approver.approveRead(id, by);
    if (outcome === 'decided') await this.work.writeBacks([id], by.delayMs);
    return this.#decided(id, 'approve', outcome);
  }

  async #approveMany(
    ids: readonly string[],
    permissions: Permissions,
    by: DecisionBy,
  ): Promise<RowOutcome[]> {
    const limit = pLimit(APPROVALS_AT_ONCE);
    const approvals = await Promise.all(
      ids.map((id) => limit(() => this.#approveOneOfMany(id, permissions, by))),
    );
    const approved = ids.filter((_id, index) => isApproved(approvals[index]));
    await this.work.writeBacks(approved, by.delayMs);
    return Promise.all(
      ids.map(async (id, index): Promise<RowOutcome> => {
        const approval = approvals[index];
        if (approval === undefined || 'id' in approval) return approval ?? unknown(id);
        const { outcome, left, detail } = approval;
        const decided = await this.#decided(id, 'approve', outcome);
        return left === null || decided.state === null ? decided : { ...decided, ok: false, detail, left };
      }),
    );
  }

  async #approveOneOfMany(
    id: string,
    permissions: Permissions,
    by: DecisionBy,
  ): Promise<Approval | RowOutcome> {
    try {
      return await this.approver.approve(id, permissions, by);
    } catch (error) {
      if (!isCoded(error)) throw error;
      const state = (await this.writeBacks.get(id))?.state ?? null;
      return { id, ok: false, state, detail: `write-back ${id} was left: ${errorLine(error)}` };
    }
  }

  async #decided(id: string, decision: 'approve' | 'reject', outcome: DecisionOutcome): Promise<RowOutcome> {
    const row = await this.writeBacks.get(id);
    if (row === null) return unknown(id);
    const { state } = row;
    switch (outcome) {
      case 'newer_result':
        return { id, ok: false, state, detail: `write-back ${id} ${NEWER_RESULT}` };
      case 'edited_meanwhile':
        return { id, ok: false, state, detail: EDITED_MEANWHILE };
      case 'wrong_state': {
        const cannot = `it cannot be ${decision === 'approve' ? 'approved' : 'rejected'}`;
        return { id, ok: false, state, detail: `write-back ${id} is ${state}: ${cannot}` };
      }
      case 'decided': {
        return { id, ok: true, state, detail: decidedDetail(row) };
      }
    }
  }

  async #undo(id: string, by: DecidedBy): Promise<RowOutcome> {
    const outcome = await this.decisions.undo(id, by);
    const row = await this.writeBacks.get(id);
    if (row === null) return unknown(id);
    const { state } = row;
    if (outcome === 'decided')
      return { id, ok: true, state, detail: 'the decision was undone; it waits for review' };
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
   * Replaces the text of one field before the approval. The text is sanitised, and the original stays in the row. An edit names the
   * version that it was made on: edits of other fields are merged. Throws `not_found` for an unknown id or field, `conflict` when the
   * write-back is decided or somebody edited the same field since that version, `invalid` when sanitising leaves no text.
   */
  async edit(
    id: string,
    { target, value, version }: z.output<typeof editSchema>,
    by: DecidedBy,
  ): Promise<PresentedWriteBack> {
    const row = found(await this.writeBacks.get(id), 'write-back', id);
    const edit = { target, version, edited: (old: IntendedValue) => editedValue(old, value) };
    switch (await this.decisions.edit(id, edit, by)) {
      case 'edited':
        return presentWriteBack((await this.writeBacks.get(id)) ?? row);
      case 'wrong_state':
        throw new CodedError('conflict', `write-back ${id} is ${row.state}: it cannot be edited`);
      case 'no_field':
        throw new CodedError('not_found', `write-back ${id} has no field ${target.slice(0, 100)}`);
      case 'unwritable':
        throw new CodedError('invalid', `${target}: this text cannot be written; reject the field instead`);
      case 'edited_meanwhile':
        throw new CodedError(
          'conflict',
          `somebody else edited ${target} meanwhile: read the present text, then edit it again`,
        );
    }
  }

  async #revert(id: string, by: DecidedBy): Promise<RowOutcome> {
    try {
      const fields = await this.reverter.revert(id, by);
      const count = (outcome: string): number => fields.filter((field) => field.outcome === outcome).length;
      const left = count('not_ours');
      const restored = count('reverted');
      const detail = `${counted(restored, 'field')} put back${left > 0 ? `, ${String(left)} left alone: no longer ours` : ''}`;
      return { id, ok: true, state: 'reverted', detail };
    } catch (error) {
      if (!isCoded(error)) throw error;
      const row = await this.writeBacks.get(id);
      return row === null ? unknown(id) : { id, ok: false, state: row.state, detail: error.message };
    }
  }
}

const EDITED_MEANWHILE = 'somebody edited it since you read it: read the present text, then decide again';

function isApproved(approval: Approval | RowOutcome | undefined): boolean {
  return approval !== undefined && 'outcome' in approval && approval.outcome === 'decided';
}

/** The reason of a rejection says `rejected` itself. */
function decidedDetail({ state, reason }: Pick<WriteBackEntity, 'state' | 'reason'>): string {
  if (state === 'ready') return 'approved; it is written next';
  if (state === 'rejected') return reason ?? state;
  return `${state}: ${reason ?? 'no reason given'}`;
}

const UNDO_REFUSALS: Readonly<Record<Exclude<UndoOutcome, 'decided'>, (state: string) => string>> = {
  newer_result: () => NEWER_RESULT,
  wrong_state: (state) =>
    state === 'applied' ? 'is already live: revert it instead' : `is ${state}: no decision can be undone`,
  being_written: () => 'is being written, or part of it is: revert it afterwards',
};

function unknown(id: string): RowOutcome {
  return { id, ok: false, state: null, detail: `no write-back ${id.slice(0, 100)}` };
}
