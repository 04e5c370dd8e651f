import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Database } from './database.js';
import { isPlan, isRun } from './newest-rows.js';

export const FOUND_KINDS = ['run', 'write-back', 'delivery', 'plan', 'report'] as const;
const foundRow = z.object({
  kind: z.enum(FOUND_KINDS),
  id: z.string(),
  state: z.string(),
  about: z.string().nullable(),
  at: z.date(),
});
/** A row that is found by its id. */
export type FoundRow = z.infer<typeof foundRow>;

const NIL = '00000000-0000-0000-0000-000000000000';
const FULL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Shorter beginnings match too much. */
const LEAST_DIGITS = 4;

/** Finds rows of several tables by the beginning of their id. Reads only. */
@Injectable()
export class SearchRepository {
  constructor(private readonly db: Database) {}

  /** At most `limit` rows of each kind, newest first; none unless the text is the beginning of a UUID in lower case. */
  async byId(text: string, limit: number): Promise<FoundRow[]> {
    const isBeginning = /^[0-9a-f-]+$/.test(text) && fits(text);
    if (!isBeginning || text.length < LEAST_DIGITS) return [];
    // The ids between these two begin with the text: the primary keys find them.
    const bounds = [text + NIL.slice(text.length), text + FULL.slice(text.length)];
    return this.db.read(
      foundRow,
      // SQL: a union, so that one order covers all tables.
      `(SELECT 'run' AS kind, id, state, store AS about, created_at AS at FROM sync_run
         WHERE id BETWEEN $1 AND $2 AND ${isRun('sync_run')} LIMIT $3)
       UNION ALL (SELECT 'write-back', id, state, external_id, created_at FROM write_back WHERE id BETWEEN $1 AND $2 LIMIT $3)
       UNION ALL (SELECT 'delivery', id, state, external_id, received_at FROM webhook_delivery WHERE id BETWEEN $1 AND $2 LIMIT $3)
       UNION ALL (SELECT 'plan', id, CASE state WHEN 'planned' THEN 'saved' WHEN 'not_planned' THEN 'failed' ELSE state END, store, created_at
         FROM sync_run WHERE id BETWEEN $1 AND $2 AND plan IS NOT NULL AND ${isPlan('sync_run')} LIMIT $3)
       UNION ALL (SELECT 'report', id, state, store, created_at FROM report WHERE id BETWEEN $1 AND $2 LIMIT $3)
       ORDER BY at DESC`,
      [...bounds, limit],
    );
  }
}

/** True when the hyphens are where a UUID has them. */
function fits(text: string): boolean {
  if (text.length > NIL.length) return false;
  return Array.from(text).every((sign, index) => (sign === '-') === (NIL[index] === '-'));
}
