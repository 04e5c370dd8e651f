import { Injectable } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import { z } from 'zod';
import { parseExternalId } from '../domain/external-id.js';
import type { WriteBackState } from '../domain/row-states.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { Database } from './database.js';
import { WriteBackEntity } from './entities/write-back.entity.js';
import { StoreProductEntity } from './entities/store-product.entity.js';
import { idRow, rowOf } from './rows.js';

const externalIdRow = rowOf(StoreProductEntity, ['externalId']);
const intendedRow = rowOf(WriteBackEntity, ['intended']);

type ResultColumn =
  | ('store' | 'workspace' | 'externalId' | 'variant' | 'contentFingerprint' | 'askedAt' | 'datedAt')
  | ('intended' | 'arrived' | 'seen' | 'runId' | 'sources' | 'creditsConsumed');

/** A result as a row of the journal. */
export interface NewWriteBack extends Pick<WriteBackEntity, ResultColumn> {
  readonly deliveryId: string;
  readonly state: Extract<WriteBackState, 'pending_review' | 'ready'>;
  /** When the result came in; it decides the order of results. */
  readonly receivedAt: Date;
}

const standingRow = rowOf(StoreProductEntity, ['catalogFields']).extend({
  /** Changes with every result that is taken, and whenever a request begins or ends. */
  version: z.string(),
});
/** What a product's results are judged by. */
export type ResultStanding = Readonly<z.infer<typeof standingRow>>;

const takenRow = rowOf(WriteBackEntity, ['id', 'contentFingerprint', 'askedAt', 'datedAt']).extend({
  receivedAt: z.date(),
});
/** A result that was taken, with what orders it. */
export type TakenWriteBack = Readonly<z.infer<typeof takenRow>>;

const TAKEN = 'SELECT id, content_fingerprint, result_at AS received_at, asked_at, dated_at FROM write_back';

/** Results as they enter the journal, one order for each product (src/planner/result-order.ts). */
@Injectable()
export class ResultRepository {
  constructor(private readonly db: Database) {}

  /** Read before anything that a result is judged by, and given to `inOrder` with what was decided. */
  async standing(externalId: string, runner?: QueryRunner): Promise<ResultStanding> {
    const standing = await this.db.readOne(
      standingRow,
      // SQL: hashes of many rows.
      `SELECT catalog_fields, concat_ws(' ', md5(catalog_fields::text),
         (SELECT md5(string_agg(concat_ws(' ', id, state, task_id, task_is_shared), ',' ORDER BY id))
          FROM generation_task WHERE external_id = $1),
         (SELECT md5(string_agg(id::text, ',' ORDER BY id)) FROM write_back WHERE external_id = $1)) AS version
       FROM store_product WHERE external_id = $1`,
      [externalId],
      runner,
    );
    return standing ?? { version: '', catalogFields: null };
  }

  /**
   * Carries out what was decided about a result, as one step: a poll and a delivery may bring one result at the same time. Null, and
   * nothing is done, when the product stands otherwise than `version` says: then it has to be decided anew.
   */
  async inOrder<T>(
    externalId: string,
    version: string,
    work: (runner: QueryRunner) => Promise<T>,
  ): Promise<T | null> {
    return this.db.transaction(async (runner) => {
      await this.db.readOne(
        externalIdRow,
        // SQL: the row lock makes the comparison and the work one step for all results of a product.
        'SELECT external_id FROM store_product WHERE external_id = $1 FOR UPDATE',
        [externalId],
        runner,
      );
      const standing = await this.standing(externalId, runner);
      return standing.version === version ? work(runner) : null;
    });
  }

  /**
   * Adds the intended write of a result that is newer than every one before it, within `inOrder`. Waiting ones of older results are
   * skipped: older results never overwrite newer ones. A variant's results are ordered among themselves. One that an attempt was
   * started for stays: what it may have left in the store is known from it alone, and the newer one's worker ends it first.
   */
  async intend(writeBack: NewWriteBack, runner: QueryRunner): Promise<string> {
    const newest = await this.newest(writeBack.externalId, writeBack.variant, runner);
    // One order: a result that is taken later stands later, also when it was received earlier.
    const resultAt = new Date(
      Math.max(writeBack.receivedAt.getTime(), newest === null ? 0 : newest.receivedAt.getTime() + 1),
    );
    await this.db.affected(
      `UPDATE write_back SET state = 'skipped', reason = 'a newer result of the same product arrived', settled_at = now()
         WHERE external_id = $1 AND state IN ('pending_review', 'ready') AND result_at <= $2 AND sent = '{}'
           AND variant IS NOT DISTINCT FROM $3`,
      [writeBack.externalId, resultAt, writeBack.variant],
      runner,
    );
    if (writeBack.variant === null)
      await this.db.affected(
        'UPDATE store_product SET newest_result_at = $2, first_result_at = coalesce(first_result_at, $2) WHERE external_id = $1',
        [writeBack.externalId, resultAt],
        runner,
      );
    const { receivedAt: _receivedAt, ...row } = writeBack;
    const unmappedCount = row.arrived.filter(({ fate }) => fate === 'not_mapped').length;
    const entries = runner.manager.getRepository(WriteBackEntity);
    const { id } = await entries.save(entries.create({ ...row, resultAt, unmappedCount }));
    return id;
  }

  /**
   * The newest result of the product that was taken; null when there is none. For a variant: the newest with content of the variant,
   * its own or one of its product. Rows that were made of other rows bring no new content.
   */
  async newest(
    externalId: string,
    variant: string | null,
    runner?: QueryRunner,
  ): Promise<TakenWriteBack | null> {
    const number = variant === null ? null : (parseExternalId(variant)?.variantId ?? '');
    return this.db.readOne(
      takenRow,
      // SQL: a condition inside the JSON of the intended values.
      `${TAKEN}
       WHERE external_id = $1 AND delivery_id IS NOT NULL AND (variant IS NOT DISTINCT FROM $2 OR ($3::text IS NOT NULL AND EXISTS (
         SELECT FROM jsonb_array_elements(intended) AS value WHERE starts_with(value->>'target', 'variant:' || $3 || ':'))))
       ORDER BY result_at DESC, created_at DESC LIMIT 1`,
      [externalId, variant, number],
      runner,
    );
  }

  /** What the newest result of the product brought, translations included; null when none was taken. */
  async newestIntended(externalId: string): Promise<readonly IntendedValue[] | null> {
    const row = await this.db.readOne(
      intendedRow,
      // SQL: reads one column of the newest row.
      `SELECT intended FROM write_back WHERE external_id = $1 AND delivery_id IS NOT NULL AND variant IS NULL
       ORDER BY result_at DESC, created_at DESC LIMIT 1`,
      [externalId],
    );
    return row?.intended ?? null;
  }

  /** The write-back that the delivery led to. */
  async ofDelivery(deliveryId: string): Promise<TakenWriteBack | null> {
    return this.db.readOne(
      takenRow,
      // SQL: the same columns as in `newest`.
      `${TAKEN} WHERE delivery_id = $1`,
      [deliveryId],
    );
  }

  /** Whether a result of this content was taken before, with translations beside it or without. */
  async hasContent(externalId: string, contentFingerprint: string): Promise<boolean> {
    const row = await this.db.readOne(
      idRow,
      // SQL: uses the index on this expression.
      `SELECT id FROM write_back WHERE external_id = $1 AND split_part(content_fingerprint, '+', 1) = $2 LIMIT 1`,
      [externalId, contentFingerprint],
    );
    return row !== null;
  }
}
