import { Injectable } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import type { DecisionOutcome } from '../domain/approval.js';
import { WRITE_BACK_TRANSITIONS, statesBefore, type WriteBackState } from '../domain/row-states.js';
import type { GateFinding } from '../domain/gate-finding.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { json, uuid, Database } from './database.js';
import { StoreProductEntity } from './entities/store-product.entity.js';
import { WriteBackEntity } from './entities/write-back.entity.js';
import { idRow, rowOf } from './rows.js';
import type { DecidedBy } from './write-back.repository.js';

const versionRow = rowOf(WriteBackEntity, ['version']);
const decidedRow = rowOf(WriteBackEntity, ['state', 'externalId', 'intendedBefore']);
const reviewedRow = rowOf(WriteBackEntity, ['state', 'intended', 'version']);
const writeBackRow = rowOf(WriteBackEntity);
const externalIdRow = rowOf(StoreProductEntity, ['externalId']);

/** `being_written`: a worker has the product, or part of the text was sent already. */
export type UndoOutcome = 'decided' | 'wrong_state' | 'newer_result' | 'being_written';

export interface DecisionDetails extends DecidedBy {
  /** Approve these targets alone; absent: all. */
  readonly only?: readonly string[] | undefined;
  /** Why a person rejects it. */
  readonly reason?: string | undefined;
  /** How long an approved row waits before it is written, so that the approval can be undone. */
  readonly delayMs?: number | undefined;
  /** The version that the person saw. Absent: whatever it is by now. */
  readonly version?: number | undefined;
  /** An approval also covers fields that the merchant edited since, and texts that a gate holds back. Both are so by default. */
  readonly overwriteEdits?: boolean | undefined;
  readonly passGates?: boolean | undefined;
  /** Hashes of the values that the approval may overwrite, by target. Absent: whatever stands there when it is written. */
  readonly releasedValues?: Readonly<Record<string, string>> | undefined;
}

/** The replacement of one text before the approval. */
export interface TextEdit {
  readonly target: string;
  /** The version that the person saw. Absent: whatever it is by now. */
  readonly version?: number | undefined;
  /** The new value; null when the text cannot be written. */
  readonly edited: (old: IntendedValue) => IntendedValue | null;
}

/** `edited_meanwhile`: somebody else edited the same field after that version. */
export type EditOutcome = 'edited' | 'wrong_state' | 'no_field' | 'unwritable' | 'edited_meanwhile';

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
   * An approval releases: it writes whatever the live value is, unless its details say otherwise. With `only` it is for those
   * targets alone: the others are declined, and nothing is approved when none of them is. An approval is refused while a newer result
   * of the product stands: older content never replaces newer content.
   */
  async decide(
    id: string,
    decision: 'approve' | 'reject',
    details: DecisionDetails,
  ): Promise<DecisionOutcome> {
    return this.db.transaction(async (runner) => {
      await this.#lockProduct(id, runner);
      if (decision === 'approve' && (await this.#hasNewer(id, UNDECIDED, runner))) return 'newer_result';
      if (await this.#isOlderThan(id, details.version, runner)) return 'edited_meanwhile';
      return (await this.#decide(id, decision, details, runner)) ? 'decided' : 'wrong_state';
    });
  }

  /** True when the row has been edited since the version that a person saw. */
  async #isOlderThan(id: string, version: number | undefined, runner: QueryRunner): Promise<boolean> {
    if (version === undefined) return false;
    const row = await this.db.readOne(
      versionRow,
      // SQL: reads under the row lock.
      'SELECT version FROM write_back WHERE id = $1::uuid FOR UPDATE',
      [uuid(id)],
      runner,
    );
    return row !== null && row.version !== version;
  }

  async #decide(
    id: string,
    decision: 'approve' | 'reject',
    {
      only,
      reason,
      delayMs = 0,
      actor,
      bulkChangeId,
      overwriteEdits = true,
      passGates = true,
      releasedValues,
    }: DecisionDetails,
    runner: QueryRunner,
  ): Promise<boolean> {
    const isApproval = decision === 'approve';
    const to: WriteBackState = isApproval ? 'ready' : 'rejected';
    const why = isApproval ? 'approved' : reason === undefined ? 'rejected' : `rejected: ${reason}`;
    return this.db.moves(
      `UPDATE write_back SET state = $2, overwrite_edits = $9, pass_gates = $10, released_values = $11, attempts = 0, crash_count = 0, reason = $5,
         next_attempt_at = now() + $6 * interval '1 millisecond',
         settled_at = CASE WHEN $2 = 'ready' THEN NULL ELSE now() END,
         decided_at = now(), decided_by = $7, bulk_change_id = $8, intended_before = intended,
         intended = CASE WHEN $4::text[] IS NULL THEN intended ELSE (
           SELECT jsonb_agg(value ORDER BY place) FROM jsonb_array_elements(intended) WITH ORDINALITY AS each (value, place)
           WHERE value->>'target' = ANY($4)) END,
         declined = CASE WHEN $4::text[] IS NULL THEN declined ELSE declined || coalesce((
           SELECT jsonb_agg(jsonb_build_object('target', value->'target', 'value', value->'value', 'by', $7::text, 'at', now())
             ORDER BY place)
           FROM jsonb_array_elements(intended) WITH ORDINALITY AS each (value, place)
           WHERE value->>'target' <> ALL($4) AND value->'withheld' IS NULL), '[]') END
       WHERE id = $1::uuid AND state = ANY($3)
         AND ($4::text[] IS NULL OR EXISTS (SELECT 1 FROM jsonb_array_elements(intended) AS value WHERE value->>'target' = ANY($4)))`,
      [
        uuid(id),
        to,
        UNDECIDED,
        only ?? null,
        why,
        delayMs,
        actor,
        bulkChangeId ?? null,
        isApproval && overwriteEdits,
        isApproval && passGates,
        releasedValues === undefined ? null : json(releasedValues),
      ],
      runner,
    );
  }

  /** Keeps the findings of the gates in a text that waits for a person. */
  async keepFindings(id: string, findings: readonly GateFinding[]): Promise<void> {
    await this.db.affected(
      'UPDATE write_back SET gate_findings = $2 WHERE id = $1::uuid AND state = ANY($3)',
      [uuid(id), json(findings), UNDECIDED],
    );
  }

  /**
   * Undoes a decision: the row waits for review again, with everything that was intended before. An approval is undone
   * only while nothing was sent and no worker has the product. A worker whose lease ran out loses the product here, so that it
   * sends nothing more.
   */
  async undo(id: string, by: DecidedBy): Promise<UndoOutcome> {
    return this.db.transaction(async (runner) => {
      await this.#lockProduct(id, runner);
      if (await this.#hasNewer(id, ['rejected'], runner)) return 'newer_result';
      const row = await this.db.readOne(
        decidedRow,
        // SQL: reads under the row lock.
        'SELECT state, external_id, intended_before FROM write_back WHERE id = $1::uuid',
        [uuid(id)],
        runner,
      );
      if (row === null || !['rejected', 'ready'].includes(row.state) || row.intendedBefore === null)
        return 'wrong_state';
      if (row.state === 'ready' && !(await this.#freeProduct(row.externalId, runner))) return 'being_written';
      const moved = await this.db.moves(
        `UPDATE write_back SET state = 'pending_review', overwrite_edits = false, pass_gates = false, settled_at = NULL,
           reason = 'the decision was undone', intended = intended_before, intended_before = NULL, version = version + 1,
           declined = coalesce((SELECT jsonb_agg(field) FROM jsonb_array_elements(declined) AS field
             WHERE NOT intended_before @> jsonb_build_array(jsonb_build_object('target', field->'target'))), '[]'),
           decided_at = now(), decided_by = $2, bulk_change_id = NULL
         WHERE id = $1::uuid AND state IN ('ready', 'rejected') AND (state = 'rejected' OR (sent = '{}' AND crash_count = 0))`,
        [uuid(id), by.actor],
        runner,
      );
      return moved ? 'decided' : 'being_written';
    });
  }

  /** Ends a lease that ran out. False while a worker holds the product. */
  async #freeProduct(externalId: string, runner: QueryRunner): Promise<boolean> {
    return this.db.moves(
      `UPDATE store_product SET write_lease = NULL, write_lease_until = NULL
       WHERE external_id = $1 AND (write_lease IS NULL OR write_lease_until < now())`,
      [externalId],
      runner,
    );
  }

  /**
   * Replaces one text of an undecided row. Edits of other fields stay, whoever made them. An edit of the same field by somebody else is
   * not overwritten by a person who has not seen it. The findings in the edited target are removed.
   */
  async edit(id: string, { target, version, edited }: TextEdit, by: DecidedBy): Promise<EditOutcome> {
    return this.db.transaction(async (runner) => {
      const row = await this.db.readOne(
        reviewedRow,
        // SQL: the row lock makes the comparison and the update one step.
        'SELECT state, intended, version FROM write_back WHERE id = $1::uuid FOR UPDATE',
        [uuid(id)],
        runner,
      );
      if (row === null || !UNDECIDED.includes(row.state)) return 'wrong_state';
      const old = row.intended.find((each) => each.target === target);
      if (old === undefined) return 'no_field';
      if (version !== undefined && (old.version ?? 1) > version) return 'edited_meanwhile';
      const value = edited(old);
      if (value === null) return 'unwritable';
      const next = row.version + 1;
      const intended = row.intended.map((each) => (each === old ? { ...value, version: next } : each));
      await this.db.affected(
        `UPDATE write_back SET intended = $2, version = $5, decided_at = now(), decided_by = $4,
           gate_findings = coalesce((SELECT jsonb_agg(finding) FROM jsonb_array_elements(gate_findings) AS finding
             WHERE finding->>'target' <> $3), '[]')
         WHERE id = $1::uuid`,
        [uuid(id), json(intended), target, by.actor, next],
        runner,
      );
      return 'edited';
    });
  }

  /**
   * Adds a ready row that writes the texts of a reverted one again; the reverted row keeps its journal. Refused while a later
   * row of the product stands. Returns the new row's id.
   */
  async reapply(
    id: string,
    { intended, seen }: Reapplication,
    by: DecidedBy,
  ): Promise<{ readonly id: string } | 'wrong_state' | 'newer_result'> {
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
           unmapped_count, run_id, sources, credits_consumed, variant, asked_at, dated_at, reason, decided_at, decided_by, bulk_change_id,
           reapplied_from)
         SELECT store, workspace, external_id, content_fingerprint, result_at, 'ready', $2, $3, arrived,
           0, run_id, sources, credits_consumed, variant, asked_at, dated_at, 'applied again after its revert', now(), $4, $5, id
         FROM write_back WHERE id = $1::uuid AND state = 'reverted' RETURNING id`,
        [uuid(id), json(intended), json(seen), by.actor, by.bulkChangeId ?? null],
        runner,
      );
      return added ?? 'wrong_state';
    });
  }

  /** The last decision of a person, while it can be undone, or reverted because it is in the store. */
  async last(actor: string, since: Date): Promise<WriteBackEntity | null> {
    const [row] = await this.db.read(
      writeBackRow,
      // SQL: the guard of an undo, on its index.
      `SELECT * FROM write_back WHERE decided_by = $1 AND decided_at >= $2 AND intended_before IS NOT NULL
         AND (state IN ('rejected', 'applied') OR (state = 'ready' AND sent = '{}' AND crash_count = 0))
       ORDER BY decided_at DESC, id LIMIT 1`,
      [actor, since],
    );
    return row ?? null;
  }

  async #lockProduct(id: string, runner: QueryRunner): Promise<void> {
    await this.db.readOne(
      externalIdRow,
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
