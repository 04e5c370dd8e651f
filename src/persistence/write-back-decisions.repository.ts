import { Injectable } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import { WRITE_BACK_TRANSITIONS, statesBefore, type WriteBackState } from '../domain/row-states.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { json, uuid, Database } from './database.js';
import { StoreProductEntity } from './entities/store-product.entity.js';
import { WriteBackEntity } from './entities/write-back.entity.js';
import { idRow } from './row-reader.js';
import type { DecidedBy } from './write-back.repository.js';

/** The outcome of a person's decision: made, or refused because of the row's state or of a newer result. */
export type DecisionOutcome = 'decided' | 'wrong_state' | 'newer_result';

/** Refused, too, while a worker has the product, or when part of it was sent already. */
export type UndoOutcome = DecisionOutcome | 'being_written';

export interface DecisionDetails extends DecidedBy {
  /** Approve these targets alone; absent: all. */
  readonly only?: readonly string[] | undefined;
  /** Why a person rejects it. */
  readonly reason?: string | undefined;
  /** How long an approved row waits before it is written, so that the approval can be taken back. */
  readonly delayMs?: number | undefined;
}

/** The content of a new row that writes reverted texts again. */
export interface Reapplication {
  readonly intended: readonly IntendedValue[];
  /** Hashes of the values that the store holds unless somebody edited them, by target. */
  readonly seen: Readonly<Record<string, string>>;
}

/** States in which a person may approve, reject or edit. */
const UNDECIDED = statesBefore(WRITE_BACK_TRANSITIONS, 'rejected');

/**
 * The decisions of people about write-backs.
 *
 * SQL: each decision is one UPDATE that the state of the row guards, under the lock of the row of its product.
 */
@Injectable()
export class WriteBackDecisions {
  constructor(private readonly db: Database) {}

  /**
   * An approval releases: it writes whatever the live value is by now. With `only` it is for those targets alone: the others are no
   * longer intended, and nothing is approved when none of them is. An approval is refused while a newer result of the product
   * stands: older content never replaces newer content.
   */
  async decide(
    id: string,
    decision: 'approve' | 'reject',
    details: DecisionDetails,
  ): Promise<DecisionOutcome> {
    return this.db.transaction(async (runner) => {
      await this.#lockProduct(id, runner);
      if (decision === 'approve' && (await this.#hasNewer(id, UNDECIDED, runner))) return 'newer_result';
      return (await this.#decide(id, decision, details, runner)) ? 'decided' : 'wrong_state';
    });
  }

  async #decide(
    id: string,
    decision: 'approve' | 'reject',
    { only, reason, delayMs = 0, actor, bulkChangeId }: DecisionDetails,
    runner: QueryRunner,
  ): Promise<boolean> {
    const to: WriteBackState = decision === 'approve' ? 'ready' : 'rejected';
    const why =
      decision === 'approve' ? 'approved' : reason === undefined ? 'rejected' : `rejected: ${reason}`;
    const moved = await this.db.affected(
      `UPDATE write_back SET state = $2, released = ($2 = 'ready'), attempts = 0, unended = 0, reason = $5,
         next_attempt_at = now() + $6 * interval '1 millisecond',
         settled_at = CASE WHEN $2 = 'ready' THEN NULL ELSE now() END,
         decided_at = now(), decided_by = $7, bulk_change_id = $8, intended_before = intended,
         intended = CASE WHEN $4::text[] IS NULL THEN intended ELSE (
           SELECT jsonb_agg(value ORDER BY place) FROM jsonb_array_elements(intended) WITH ORDINALITY AS each (value, place)
           WHERE value->>'target' = ANY($4)) END
       WHERE id = $1::uuid AND state = ANY($3)
         AND ($4::text[] IS NULL OR EXISTS (SELECT 1 FROM jsonb_array_elements(intended) AS value WHERE value->>'target' = ANY($4)))`,
      [uuid(id), to, UNDECIDED, only ?? null, why, delayMs, actor, bulkChangeId ?? null],
      runner,
    );
    return moved === 1;
  }

  /**
   * Takes a decision back: the row waits for review again, with everything that was intended before. An approval is taken back
   * only while nothing was sent and no worker has the product. A worker whose lease ran out loses the product here, so that it
   * sends nothing more.
   */
  async undo(id: string, by: DecidedBy): Promise<UndoOutcome> {
    return this.db.transaction(async (runner) => {
      await this.#lockProduct(id, runner);
      if (await this.#hasNewer(id, ['rejected'], runner)) return 'newer_result';
      const row = await this.db.readOne(
        this.db.reader(WriteBackEntity).only('state', 'released', 'externalId', 'intendedBefore'),
        // SQL: reads under the row lock.
        'SELECT state, released, external_id, intended_before FROM write_back WHERE id = $1::uuid',
        [uuid(id)],
        runner,
      );
      const wasDecided = row?.state === 'rejected' || (row?.state === 'ready' && row.released);
      if (row === null || !wasDecided || row.intendedBefore === null) return 'wrong_state';
      if (row.state === 'ready' && !(await this.#freeProduct(row.externalId, runner))) return 'being_written';
      const moved = await this.db.affected(
        `UPDATE write_back SET state = 'pending_review', released = false, settled_at = NULL, reason = 'the decision was taken back',
           intended = intended_before, intended_before = NULL, decided_at = now(), decided_by = $2, bulk_change_id = NULL
         WHERE id = $1::uuid AND state IN ('ready', 'rejected') AND (state = 'rejected' OR (sent = '{}' AND unended = 0))`,
        [uuid(id), by.actor],
        runner,
      );
      return moved === 1 ? 'decided' : 'being_written';
    });
  }

  /** Ends a lease that ran out. False while a worker holds the product. */
  async #freeProduct(externalId: string, runner: QueryRunner): Promise<boolean> {
    const freed = await this.db.affected(
      `UPDATE store_product SET write_lease = NULL, write_lease_until = NULL
       WHERE external_id = $1 AND (write_lease IS NULL OR write_lease_until < now())`,
      [externalId],
      runner,
    );
    return freed === 1;
  }

  /** Replaces the values of an undecided row. The findings in the edited target are removed. False in another state. */
  async edit(
    id: string,
    target: string,
    intended: readonly IntendedValue[],
    by: DecidedBy,
  ): Promise<boolean> {
    const moved = await this.db.affected(
      `UPDATE write_back SET intended = $2, decided_at = now(), decided_by = $5,
         gate_findings = coalesce((SELECT jsonb_agg(finding) FROM jsonb_array_elements(gate_findings) AS finding
           WHERE finding->>'target' <> $4), '[]')
       WHERE id = $1::uuid AND state = ANY($3)`,
      [uuid(id), json(intended), UNDECIDED, target, by.actor],
    );
    return moved === 1;
  }

  /**
   * Adds a ready row that writes the texts of a reverted one again; the reverted row keeps its journal. Refused while a later
   * row of the product stands. Returns the new row's id.
   */
  async reapply(
    id: string,
    { intended, seen }: Reapplication,
    by: DecidedBy,
  ): Promise<{ readonly id: string } | Exclude<DecisionOutcome, 'decided'>> {
    return this.db.transaction(async (runner) => {
      await this.#lockProduct(id, runner);
      const later = await this.db.readOne(
        idRow,
        // SQL: a join of the table with itself, under the row lock.
        `SELECT later.id FROM write_back AS later JOIN write_back AS own ON later.external_id = own.external_id
         WHERE own.id = $1::uuid AND later.id <> own.id AND later.created_at > own.created_at
           AND later.variant IS NOT DISTINCT FROM own.variant
           AND later.state NOT IN ('rejected', 'reverted') LIMIT 1`,
        [uuid(id)],
        runner,
      );
      if (later !== null) return 'newer_result';
      const added = await this.db.readOne(
        idRow,
        `INSERT INTO write_back (store, workspace, external_id, content_fingerprint, result_at, state, intended, seen, arrived,
           unmapped_count, run_id, sources, credits_consumed, variant, reason, decided_at, decided_by, bulk_change_id,
           reapplied_from)
         SELECT store, workspace, external_id, content_fingerprint, result_at, 'ready', $2, $3, arrived,
           0, run_id, sources, credits_consumed, variant, 'applied again after its revert', now(), $4, $5, id
         FROM write_back WHERE id = $1::uuid AND state = 'reverted' RETURNING id`,
        [uuid(id), json(intended), json(seen), by.actor, by.bulkChangeId ?? null],
        runner,
      );
      return added ?? 'wrong_state';
    });
  }

  /** The last decisions of a person that can still be taken back, newest first. */
  async undoable(actor: string, since: Date, limit: number): Promise<WriteBackEntity[]> {
    return this.db.entities(
      WriteBackEntity,
      // SQL: the guard of an undo, on its index.
      `SELECT * FROM write_back WHERE decided_by = $1 AND decided_at >= $2 AND intended_before IS NOT NULL
         AND (state = 'rejected' OR (state = 'ready' AND released AND sent = '{}' AND unended = 0))
       ORDER BY decided_at DESC, id LIMIT $3`,
      [actor, since, limit],
    );
  }

  async #lockProduct(id: string, runner: QueryRunner): Promise<void> {
    await this.db.readOne(
      this.db.reader(StoreProductEntity).only('externalId'),
      // SQL: the row lock that `intend` takes too, so that no newer result arrives before the update.
      `SELECT external_id FROM store_product
       WHERE external_id = (SELECT external_id FROM write_back WHERE id = $1::uuid) FOR UPDATE`,
      [uuid(id)],
      runner,
    );
  }

  /** A newer result that a person rejected or reverted does not count: it is not, and will not be, in the store. */
  async #hasNewer(id: string, states: readonly WriteBackState[], runner: QueryRunner): Promise<boolean> {
    const row = await this.db.readOne(
      idRow,
      // SQL: a join of the table with itself, under the row lock.
      `SELECT newer.id FROM write_back AS newer JOIN write_back AS own ON newer.external_id = own.external_id
       WHERE own.id = $1::uuid AND own.state = ANY($2) AND newer.id <> own.id AND newer.result_at > own.result_at
         AND newer.variant IS NOT DISTINCT FROM own.variant AND newer.state NOT IN ('rejected', 'reverted') LIMIT 1`,
      [uuid(id), states],
      runner,
    );
    return row !== null;
  }
}
