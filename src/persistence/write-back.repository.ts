import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThanOrEqual, MoreThan, Not, Raw, type QueryRunner } from 'typeorm';
import { WRITE_BACK_TRANSITIONS, statesBefore, type WriteBackState } from '../domain/row-states.js';
import type { JournalField, SentValue } from '../domain/write-back-journal.js';
import type { GateFinding } from '../domain/gate-finding.js';
import { valueHash, type WrittenContent } from '../domain/written-content.js';
import { COUNT_CRASH, PAUSED_NO_LONGER, UNCOUNT_CRASH } from './crash-count.js';
import { SILENT_SIDE_WAIT, json, uuid, Database } from './database.js';
import { WriteBackEntity } from './entities/write-back.entity.js';
import { isHeld, moveWritten } from './held-product.js';
import { keepForReview, type LeftFields } from './write-back-successors.js';
import { countByState } from './state-counts.js';
import { rowOf } from './rows.js';

const intendedRow = rowOf(WriteBackEntity, ['intended']);
const sentRow = rowOf(WriteBackEntity, ['sent', 'fields']);
const crashCountRow = rowOf(WriteBackEntity, ['crashCount']);

/** The person who changed a row, and the bulk change that it belongs to, if any. */
export interface DecidedBy {
  readonly actor: string;
  readonly bulkChangeId?: string;
}

export interface WriteBackEnd {
  readonly state: Extract<WriteBackState, 'applied' | 'skipped' | 'conflicted' | 'failed'>;
  readonly reason: string;
  readonly fields: readonly JournalField[];
  /** The product's written content after this, when it moved. */
  readonly written: WrittenContent | null;
  /** What waits for review as a row of its own; absent when nothing does. */
  readonly left?: LeftFields;
}

/** A write-back with a finding of a gate, before anything of it was sent. */
export interface HeldBack {
  readonly state: Extract<WriteBackState, 'pending_review' | 'skipped'>;
  readonly reason: string;
  readonly findings: readonly GateFinding[];
}

/**
 * The journal of what was, or will be, written to the store.
 *
 * SQL: each write is guarded by the state of the row, or by the lock of the row of its product.
 */
@Injectable()
export class WriteBackRepository {
  constructor(private readonly db: Database) {}

  async get(id: string): Promise<WriteBackEntity | null> {
    return this.db.byId(WriteBackEntity, id);
  }

  async storeOf(id: string): Promise<string | null> {
    const known = uuid(id);
    if (known === null) return null;
    const row = await this.db
      .repository(WriteBackEntity)
      .findOne({ select: { store: true }, where: { id: known } });
    return row?.store ?? null;
  }

  /** In no order; unknown ids are absent. */
  async byIds(ids: readonly string[]): Promise<WriteBackEntity[]> {
    const known = ids.flatMap((id) => uuid(id) ?? []);
    return known.length === 0 ? [] : this.db.repository(WriteBackEntity).findBy({ id: In(known) });
  }

  /** Without those that wait for a limit: `WriteCapRepository.wake` ends that wait. */
  async due(limit: number): Promise<string[]> {
    const rows = await this.db.repository(WriteBackEntity).find({
      select: { id: true },
      where: { state: 'ready', cappedBy: IsNull(), nextAttemptAt: Raw((column) => `${column} <= now()`) },
      order: { nextAttemptAt: 'ASC' },
      take: limit,
    });
    return rows.map((row) => row.id);
  }

  /** Older results of the product whose attempt was started and never ended, oldest first. */
  async cutOff(writeBack: WriteBackEntity): Promise<WriteBackEntity[]> {
    return this.db.repository(WriteBackEntity).find({
      where: {
        id: Not(writeBack.id),
        externalId: writeBack.externalId,
        variant: writeBack.variant ?? IsNull(),
        state: 'ready',
        sent: Raw((column) => `${column} <> '{}'`),
        resultAt: LessThanOrEqual(writeBack.resultAt),
      },
      order: { resultAt: 'ASC', createdAt: 'ASC' },
    });
  }

  /**
   * The targets for which a newer result has a value: one of the product, for a variant's result, or one of a variant, for the
   * product's. Newer results of the same kind replace the row as a whole. A result that a person rejected or reverted does not count.
   */
  async newerTargets(
    row: Pick<WriteBackEntity, 'externalId' | 'resultAt' | 'variant'>,
  ): Promise<ReadonlySet<string>> {
    const newer = await this.db.read(
      intendedRow,
      // SQL: a comparison that also holds for NULL.
      `SELECT intended FROM write_back WHERE external_id = $1 AND result_at > $2 AND variant IS DISTINCT FROM $3
         AND state NOT IN ('rejected', 'reverted')`,
      [row.externalId, row.resultAt, row.variant],
    );
    const values = newer.flatMap(({ intended }) => intended);
    return new Set(values.filter(({ withheld }) => withheld === undefined).map(({ target }) => target));
  }

  /**
   * The values that write-backs of the product sent without a response, oldest first. The store may have them. The journal marks each
   * such field.
   */
  async sentUnanswered(externalId: string): Promise<Readonly<Record<string, SentValue>>[]> {
    const rows = await this.db.read(
      sentRow,
      // SQL: conditions inside the JSON of the journal.
      `SELECT sent, fields FROM write_back WHERE external_id = $1 AND sent <> '{}'
         AND state <> 'ready' AND fields @> '[{"unanswered": true}]'
       ORDER BY result_at, created_at`,
      [externalId],
    );
    return rows.map(({ sent, fields }) => {
      const open = fields.flatMap(({ target, unanswered }) => (unanswered === true ? target : []));
      return Object.fromEntries(Object.entries(sent).filter(([target]) => open.includes(target)));
    });
  }

  /**
   * Counts that work on a ready row begins: how many times in a row it began and never ended. Null when it is not ready, or waits. An
   * approved row waits for its time even if a job of an earlier approval comes first: until then a person may undo the approval.
   */
  async begin(id: string): Promise<number | null> {
    const row = await this.db.readOne(
      crashCountRow,
      `UPDATE write_back SET ${COUNT_CRASH} WHERE id = $1 AND state = 'ready' AND ${PAUSED_NO_LONGER}
         AND (intended_before IS NULL OR next_attempt_at <= now()) RETURNING crash_count`,
      [id],
    );
    return row?.crashCount ?? null;
  }

  /** Takes back what `begin` counted: the worker lives, and had no database for a while. */
  async uncountCrash(id: string): Promise<void> {
    await this.db.affected(`UPDATE write_back SET ${UNCOUNT_CRASH} WHERE id = $1 AND state = 'ready'`, [id]);
  }

  /**
   * Ends an attempt and moves the product's written content, in one transaction. False, and nothing is moved, when it was ended
   * before or when another worker holds the product.
   */
  async end(id: string, externalId: string, lease: string, end: WriteBackEnd): Promise<boolean> {
    return this.db.transaction(async (runner) => {
      if (!(await isHeld(this.db, externalId, lease, runner))) return false;
      if (end.state === 'applied') await this.#replaceSameContent(id, runner);
      const ended = await this.db.moves(
        `UPDATE write_back SET state = $2, reason = $3, fields = $4, settled_at = now(), crash_count = 0, attempts = attempts + 1
         WHERE id = $1 AND state = 'ready' AND state = ANY($5)`,
        [id, end.state, end.reason, json(end.fields), statesBefore(WRITE_BACK_TRANSITIONS, end.state)],
        runner,
      );
      if (!ended) return false;
      if (end.written !== null) await moveWritten(externalId, end.written, end.fields, runner);
      if (end.left !== undefined) await keepForReview(this.db, id, end.left, runner);
      return true;
    });
  }

  /** The same content was applied before, and something else stood in the store since. Both can be reverted, as any two write-backs. */
  async #replaceSameContent(id: string, runner: QueryRunner): Promise<void> {
    await this.db.affected(
      `UPDATE write_back AS old SET replaced_at = now() FROM write_back AS own
       WHERE own.id = $1 AND old.external_id = own.external_id AND old.content_fingerprint = own.content_fingerprint
         AND old.id <> own.id AND old.state = 'applied' AND old.replaced_at IS NULL`,
      [id],
      runner,
    );
  }

  /** Leaves a ready write-back to a person, or skips it. False, and nothing moves, when another worker holds the product. */
  async holdBack(id: string, externalId: string, lease: string, held: HeldBack): Promise<boolean> {
    return this.db.transaction(async (runner) => {
      if (!(await isHeld(this.db, externalId, lease, runner))) return false;
      return this.db.moves(
        `UPDATE write_back SET state = $2, reason = $3, gate_findings = $4, crash_count = 0,
           next_attempt_at = now(), settled_at = CASE WHEN $2 = 'skipped' THEN now() END
         WHERE id = $1 AND state = 'ready' AND state = ANY($5)`,
        [id, held.state, held.reason, json(held.findings), statesBefore(WRITE_BACK_TRANSITIONS, held.state)],
        runner,
      );
    });
  }

  /** Keeps what an attempt that ended in the middle did, and moves the product's written content, while the holder has it. */
  async recordPartial(
    id: string,
    externalId: string,
    lease: string,
    { fields, written }: Pick<WriteBackEnd, 'fields' | 'written'>,
  ): Promise<void> {
    await this.db.transaction(async (runner) => {
      if (!(await isHeld(this.db, externalId, lease, runner))) return;
      await this.db.affected(
        `UPDATE write_back SET fields = $2 WHERE id = $1 AND state = 'ready'`,
        [id, json(fields)],
        runner,
      );
      if (written === null) return;
      await moveWritten(externalId, written, fields, runner);
    });
  }

  /** `failed`: the wait follows a failed attempt, of which there is an end; other waits may be any number. */
  async postpone(
    id: string,
    delayMs: number,
    reason: string,
    { failed }: { failed: boolean },
  ): Promise<void> {
    await this.db.affected(
      `UPDATE write_back SET next_attempt_at = now() + $2 * interval '1 millisecond', reason = $3, crash_count = 0,
         attempts = attempts + $4 WHERE id = $1 AND state = 'ready'`,
      [id, delayMs, reason, failed ? 1 : 0],
    );
  }

  /** The store does not answer: its due write-backs wait, and count no attempt. */
  async putOff(store: string): Promise<void> {
    await this.db.affected(
      `UPDATE write_back SET next_attempt_at = now() + ${SILENT_SIDE_WAIT}
       WHERE store = $1 AND state = 'ready' AND next_attempt_at <= now()`,
      [store],
    );
  }

  async forProduct(externalId: string): Promise<WriteBackEntity[]> {
    return this.db.repository(WriteBackEntity).find({ where: { externalId }, order: { createdAt: 'ASC' } });
  }

  /** Hashes of the values that later write-backs of the product wrote, by target, as far as these are applied. */
  async writtenLater({
    id,
    externalId,
    settledAt,
  }: Pick<WriteBackEntity, 'id' | 'externalId' | 'settledAt'>): Promise<
    ReadonlyMap<string, ReadonlySet<string>>
  > {
    const hashes = new Map<string, Set<string>>();
    if (settledAt === null) return hashes;
    const later = await this.db.repository(WriteBackEntity).find({
      where: { id: Not(id), externalId, state: 'applied', settledAt: MoreThan(settledAt) },
      select: { id: true, fields: true },
    });
    const written = later.flatMap(({ fields }) => fields).filter(({ outcome }) => outcome === 'written');
    for (const { target, after } of written)
      hashes.set(target, (hashes.get(target) ?? new Set()).add(valueHash(after)));
    return hashes;
  }

  async countByState(store: string): Promise<Record<string, number>> {
    return countByState(this.db.repository(WriteBackEntity), { store });
  }
}
