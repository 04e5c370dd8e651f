import type { QueryRunner } from 'typeorm';
import type { FieldOutcome, IntendedValue, JournalField, SentValue } from '../domain/write-back-journal.js';
import { valueHash } from '../domain/written-content.js';
import { json, type Database } from './database.js';
import { WriteBackEntity } from './entities/write-back.entity.js';
import { rowOf } from './rows.js';

const fieldsRow = rowOf(WriteBackEntity, ['id', 'fields']);
const sentRow = rowOf(WriteBackEntity, ['id', 'fields', 'sent']);

/** Fields that the merchant edited, which an approval of many did not cover. */
export interface LeftFields {
  readonly intended: readonly IntendedValue[];
  readonly contentFingerprint: string;
}

/** Outcomes of a field that say nothing against the text that stands there. */
const STANDS: ReadonlySet<FieldOutcome> = new Set(['same', 'untranslatable', 'unfit']);

/**
 * The same content was applied before, and the merchant undid some of it. The earlier row hands over the fields that this one wrote
 * again. It stays applied while fields that it alone wrote are still in the store, so that they can be reverted.
 */
export async function replaceSameContent(
  db: Database,
  id: string,
  fields: readonly JournalField[],
  runner: QueryRunner,
): Promise<void> {
  const earlier = await db.read(
    fieldsRow,
    // SQL: a join of the table with itself, under the lock of the row of the product.
    `SELECT old.id, old.fields FROM write_back AS old JOIN write_back AS own ON old.external_id = own.external_id
       AND old.content_fingerprint = own.content_fingerprint
     WHERE own.id = $1 AND old.id <> own.id AND old.state = 'applied'`,
    [id],
    runner,
  );
  const outcomes = new Map(fields.map(({ target, outcome }) => [target, outcome]));
  const stands = (target: string): boolean => STANDS.has(outcomes.get(target) ?? 'same');
  for (const old of earlier) {
    const kept = old.fields.map((field): JournalField =>
      field.outcome === 'written' && !stands(field.target)
        ? { ...field, outcome: 'not_ours', reason: 'left alone: a later write-back replaced it' }
        : field,
    );
    const isOver = !kept.some(({ outcome }) => outcome === 'written');
    await db.affected(
      isOver
        ? `UPDATE write_back SET state = 'reverted', reverted_at = now(), reason = 'no longer in the store: applied again'
             WHERE id = $1 AND state = 'applied'`
        : 'UPDATE write_back SET fields = $2, replaced_at = coalesce(replaced_at, now()) WHERE id = $1',
      isOver ? [old.id] : [old.id, json(kept)],
      runner,
    );
  }
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
       AND (later.state = 'ready' OR later.settled_at > own.settled_at)`,
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
