import { Injectable } from '@nestjs/common';
import type { JournalField } from '../domain/write-back-journal.js';
import type { WrittenContent } from '../domain/written-content.js';
import { json, Database } from './database.js';
import { isHeld, moveWritten } from './held-product.js';
import { passBeforeImagesOn } from './write-back-successors.js';
import type { DecidedBy } from './write-back.repository.js';

/**
 * The journal of reverts.
 *
 * SQL: each write is guarded by the state of the row, under the lock of the row of its product.
 */
@Injectable()
export class WriteBackReverts {
  constructor(private readonly db: Database) {}

  /**
   * Records a step of a revert as soon as the store has answered it, and before the next one is sent. Journal and store agree whatever
   * happens then. False when the product is lost to another worker.
   */
  async revertedInPart(
    id: string,
    externalId: string,
    lease: string,
    fields: readonly JournalField[],
    written: WrittenContent,
  ): Promise<boolean> {
    return this.db.transaction(async (runner) => {
      if (!(await isHeld(this.db, externalId, lease, runner))) return false;
      const count = fields.filter(({ outcome }) => outcome === 'reverted').length;
      const moved = await this.db.moves(
        `UPDATE write_back SET fields = $2, reason = $3 WHERE id = $1 AND state = 'applied'`,
        [
          id,
          json(fields),
          `a revert has restored ${String(count)} of ${String(fields.length)} fields so far`,
        ],
        runner,
      );
      if (!moved) return false;
      await moveWritten(externalId, written, fields, runner);
      await passBeforeImagesOn(this.db, id, fields, runner);
      return true;
    });
  }

  /** Journals a revert and moves the product's written content. False when it was reverted before, or the product is lost. */
  async reverted(
    id: string,
    externalId: string,
    lease: string,
    fields: readonly JournalField[],
    written: WrittenContent,
    by: DecidedBy,
  ): Promise<boolean> {
    return this.db.transaction(async (runner) => {
      if (!(await isHeld(this.db, externalId, lease, runner))) return false;
      const moved = await this.db.moves(
        `UPDATE write_back SET state = 'reverted', fields = $2, reverted_at = now(), reason = 'the previous values were restored', decided_at = now(),
           decided_by = $3, bulk_change_id = $4 WHERE id = $1 AND state = 'applied'`,
        [id, json(fields), by.actor, by.bulkChangeId ?? null],
        runner,
      );
      if (!moved) return false;
      await moveWritten(externalId, written, fields, runner);
      await passBeforeImagesOn(this.db, id, fields, runner);
      return true;
    });
  }
}
