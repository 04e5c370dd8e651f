import type { QueryRunner } from 'typeorm';
import type { IntendedValue, JournalField, SentValue } from '../domain/write-back-journal.js';
import { valueHash } from '../domain/written-content.js';
import { json, type Database } from './database.js';
import { WriteBackEntity } from './entities/write-back.entity.js';
import { rowOf } from './rows.js';

const sentRow = rowOf(WriteBackEntity, ['id', 'fields', 'sent']);

/** Fields that the merchant edited, which an approval of many did not cover. */
export interface LeftFields {
  readonly intended: readonly IntendedValue[];
  readonly contentFingerprint: string;
}

/**
 * A revert leaves a text alone that a later write-back has replaced, or had begun to replace. A revert of that one restores what stood
 * before both: the reverted text must not come back.
 */
export async function passBeforeImagesOn(
  db: Database,
  id: string,
  fields: readonly JournalField[],
  runner: QueryRunner,
): Promise<void> {
  const undone = fields.filter(({ outcome }) => outcome === 'reverted' || outcome === 'not_ours');
  const byTarget = new Map(undone.map((field) => [field.target, field]));
  const later = await db.read(
    sentRow,
    // SQL: a join of the table with itself, under the lock of the row of the product.
    `SELECT later.id, later.fields, later.sent FROM write_back AS later JOIN write_back AS own ON later.external_id = own.external_id
     WHERE own.id = $1 AND later.id <> own.id AND later.sent <> '{}'
       AND (later.state = 'ready' OR later.settled_at > own.settled_at)
     ORDER BY later.state = 'ready', later.settled_at, later.result_at, later.created_at`,
    [id],
    runner,
  );
  const passedOn = <Value extends Pick<SentValue, 'before'>>(target: string, value: Value): Value => {
    const own = byTarget.get(target);
    return own !== undefined && valueHash(value.before) === valueHash(own.after)
      ? { ...value, before: own.before }
      : value;
  };
  for (const row of later) {
    const sent = Object.entries(row.sent).map(
      ([target, value]) => [target, passedOn(target, value)] as const,
    );
    const journal = row.fields.map((field) =>
      field.outcome === 'written' || field.unanswered === true ? passedOn(field.target, field) : field,
    );
    await db.affected(
      'UPDATE write_back SET fields = $2, sent = $3 WHERE id = $1',
      [row.id, json(journal), json(Object.fromEntries(sent))],
      runner,
    );
    // What a later one replaced was written by this one, even if it is the same text.
    for (const { target, outcome } of row.fields) if (outcome === 'written') byTarget.delete(target);
  }
}

/** The fields that an approval of many left wait for review as a row of their own. The credits stay with the row that they came in. */
export async function keepForReview(
  db: Database,
  id: string,
  left: LeftFields,
  runner: QueryRunner,
): Promise<void> {
  await db.affected(
    `INSERT INTO write_back (store, workspace, external_id, variant, content_fingerprint, result_at, state, intended, seen, run_id,
       sources, reason)
     SELECT store, workspace, external_id, variant, $2, result_at, 'pending_review', $3, seen, run_id, sources, $4
     FROM write_back WHERE id = $1`,
    [
      id,
      left.contentFingerprint,
      json(left.intended),
      'the merchant edited it, and the approval did not cover that',
    ],
    runner,
  );
}
