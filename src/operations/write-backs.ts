import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { isCoded } from '../domain/errors.js';
import { WRITE_BACK_TRANSITIONS, type WriteBackState } from '../domain/row-states.js';
import { ListingRepository, type WriteBackRow } from '../persistence/listing.repository.js';
import { WriteBackRepository, type DecisionOutcome } from '../persistence/write-back.repository.js';
import { listQuerySchema, moment, pageOf, pageSchema, type Page, type RowOutcome } from './paging.js';
import { RowWorkPort, WriteBackReverterPort } from './ports.js';

const STATES = Object.keys(WRITE_BACK_TRANSITIONS) as [WriteBackState, ...WriteBackState[]];

export const writeBackQuerySchema = listQuerySchema(STATES);
export type WriteBackQuery = z.output<typeof writeBackQuerySchema>;

/** A field with its intended value and, after an attempt, its outcome. */
export const writeBackFieldSchema = z.object({
  target: z.string(),
  /** The generated value; null for a field that is only in the journal. */
  intended: z.string().nullable(),
  outcome: z.string().nullable(),
  reason: z.string().nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type WriteBackField = z.output<typeof writeBackFieldSchema>;

export const writeBackSchema = z.object({
  id: z.string(),
  store: z.string(),
  externalId: z.string(),
  deliveryId: z.string().nullable(),
  state: z.enum(STATES),
  reason: z.string().nullable(),
  fields: z.array(writeBackFieldSchema),
  /** Every field and attribute that the result brought, and what is meant to become of it. */
  arrived: z.array(
    z.object({
      from: z.string(),
      excerpt: z.string(),
      fate: z.enum(['mapped', 'not_mapped', 'unusable']),
      target: z.string().nullable(),
      setting: z.string().nullable().describe('the setting that would map it'),
    }),
  ),
  /** The gates that held it back at the last check. */
  gates: z.array(
    z.object({ gate: z.string(), target: z.string(), found: z.string().nullable(), detail: z.string() }),
  ),
  attempts: z.int(),
  /** The time of the content request. */
  resultAt: z.iso.datetime(),
  createdAt: z.iso.datetime(),
  settledAt: z.iso.datetime().nullable(),
  revertedAt: z.iso.datetime().nullable(),
});
export type PresentedWriteBack = z.output<typeof writeBackSchema>;
export const writeBackPageSchema = pageSchema(writeBackSchema);

/** The reason why an older result is not approved. */
export const NEWER_RESULT =
  'is older than another result of the same product: decide on that one, or reject it first';

export type Decision = 'approve' | 'reject' | 'revert';

/** Reviews intended writes to the store, and reverts applied ones. */
@Injectable()
export class WriteBackOperations {
  constructor(
    private readonly writeBacks: WriteBackRepository,
    private readonly listing: ListingRepository,
    private readonly work: RowWorkPort,
    private readonly reverter: WriteBackReverterPort,
  ) {}

  async list(query: WriteBackQuery): Promise<Page<PresentedWriteBack>> {
    return pageOf(await this.listing.writeBacks(query, query), query, presentWriteBack);
  }

  /** Null for an unknown id. */
  async show(id: string): Promise<PresentedWriteBack | null> {
    const row = await this.writeBacks.get(id);
    return row === null ? null : presentWriteBack(row);
  }

  /** Decides about each row by itself. A refused row has its reason, and the others continue. */
  async decide(ids: readonly string[], decision: Decision): Promise<RowOutcome[]> {
    const unique = [...new Set(ids)];
    if (decision === 'revert') {
      const outcomes: RowOutcome[] = [];
      for (const id of unique) outcomes.push(await this.#revert(id));
      return outcomes;
    }
    const outcomes = new Map<string, DecisionOutcome>();
    for (const id of unique) outcomes.set(id, await this.writeBacks.decide(id, decision));
    const decided = unique.filter((id) => outcomes.get(id) === 'decided');
    if (decision === 'approve') await this.work.writeBacks(decided);
    return Promise.all(unique.map((id) => this.#decided(id, decision, outcomes.get(id) ?? 'wrong_state')));
  }

  async #decided(
    id: string,
    decision: Exclude<Decision, 'revert'>,
    outcome: DecisionOutcome,
  ): Promise<RowOutcome> {
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

  async #revert(id: string): Promise<RowOutcome> {
    try {
      const fields = await this.reverter.revert(id);
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

function unknown(id: string): RowOutcome {
  return { id, ok: false, state: null, detail: `no write-back ${id.slice(0, 100)}` };
}

export function presentWriteBack(row: WriteBackRow): PresentedWriteBack {
  const { id, store, externalId, deliveryId, state, reason, attempts } = row;
  return {
    ...{ id, store, externalId, deliveryId, state, reason, attempts },
    fields: fieldsOf(row),
    arrived: row.arrived,
    gates: row.gateFindings,
    resultAt: row.resultAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    settledAt: moment(row.settledAt),
    revertedAt: moment(row.revertedAt),
  };
}

/** Intended and journalled fields as one list. Before an attempt there are only intended ones. */
function fieldsOf(row: WriteBackRow): WriteBackField[] {
  const journal = new Map(row.fields.map((field) => [field.target, field]));
  const intended = row.intended.map(({ target, value }): WriteBackField => {
    const field = journal.get(target);
    journal.delete(target);
    return {
      target,
      intended: value,
      outcome: field?.outcome ?? null,
      reason: field?.reason ?? null,
      before: field?.before ?? null,
      after: field?.after ?? null,
    };
  });
  const others = [...journal.values()].map(({ target, outcome, reason, before, after }) => ({
    ...{ target, intended: null, outcome, reason, before, after },
  }));
  return [...intended, ...others];
}
