import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { BACKOFF } from '../domain/backoff.js';
import { PAUSE_CODES, type StorePause } from '../domain/store-health.js';
import { BEFORE_NOW, Database, json, stepAt } from './database.js';
import { StoreStateEntity } from './entities/store-state.entity.js';

const standingPause = z.object({
  scope: z.enum(['everything', 'writes']),
  code: z.enum(PAUSE_CODES),
  reason: z.string(),
  since: z.date(),
  until: z.date(),
});
/** A pause as it stands; `until` may be over, and then the next piece of work tries the store. */
export type StandingPause = Readonly<z.infer<typeof standingPause>>;
const remaining = z.object({ remainingMs: z.number() });
const forbiddingPause = standingPause.extend(remaining.shape);

/** The rows of a store that became due at once. */
export interface Woken {
  readonly writeBacks: number;
  readonly runs: number;
}

const PAUSE = `paused_scope AS scope, paused_code AS code, paused_reason AS reason, paused_since AS since,
  paused_until AS until`;

const NO_PAUSE = `paused_scope = NULL, paused_code = NULL, paused_reason = NULL, paused_since = NULL, paused_until = NULL`;

/**
 * Which stores are paused, why, since when and until when. A store without a pause works, as far as is known.
 *
 * SQL: pauses grow and end by the clock of the database, in the statement that compares them.
 */
@Injectable()
export class StoreHealthRepository {
  constructor(private readonly db: Database) {}

  /**
   * Pauses the store: 30 s at first, twice as long each further time, up to half an hour. The beginning of a pause that
   * stands is kept, and so is a wider scope. Returns how many milliseconds from now the store may be tried again.
   */
  async pause(store: string, { scope, code, reason }: StorePause): Promise<number> {
    const row = await this.db.readOne(
      remaining,
      `INSERT INTO store_state AS known (store, paused_scope, paused_code, paused_reason, paused_since, paused_until, pauses)
       VALUES ($1, $2, $3, $4, now(), now() + ${stepAt('$5', '1')}, 1)
       ON CONFLICT (store) DO UPDATE SET
         paused_scope = CASE WHEN known.paused_scope = 'everything' THEN known.paused_scope ELSE excluded.paused_scope END,
         paused_code = CASE WHEN known.paused_scope = 'everything' THEN known.paused_code ELSE excluded.paused_code END,
         paused_reason = CASE WHEN known.paused_scope = 'everything' AND excluded.paused_scope <> 'everything'
           THEN known.paused_reason ELSE excluded.paused_reason END,
         paused_since = coalesce(known.paused_since, now()), pauses = known.pauses + 1,
         paused_until = now() + ${stepAt('$5', 'known.pauses + 1')}
       RETURNING (extract(epoch FROM paused_until - now()) * 1000)::double precision AS remaining_ms`,
      [store, scope, code, reason, json(BACKOFF.sidePause.stepsMs)],
    );
    return row?.remainingMs ?? 0;
  }

  /** The pause that stands, also when its time is over and nothing has tried the store since; null when there is none. */
  async standing(store: string): Promise<StandingPause | null> {
    return this.db.readOne(
      standingPause,
      // SQL: shares its columns with the statement below.
      `SELECT ${PAUSE} FROM store_state WHERE store = $1 AND paused_since IS NOT NULL`,
      [store],
    );
  }

  /** The pause that forbids this work now; null when the work may try the store. */
  async forbids(
    store: string,
    work: 'reads' | 'writes',
  ): Promise<(StandingPause & { readonly remainingMs: number }) | null> {
    return this.db.readOne(
      forbiddingPause,
      // SQL: the rest of the pause is measured by the clock of the database.
      `SELECT ${PAUSE}, (extract(epoch FROM paused_until - now()) * 1000)::double precision AS remaining_ms
       FROM store_state WHERE store = $1 AND paused_until > now() AND paused_scope = ANY($2)`,
      [store, work === 'reads' ? ['everything'] : ['everything', 'writes']],
    );
  }

  /** Work of this kind succeeded: a read ends what paused reading, a write ends every pause. True when a pause ended. */
  async works(store: string, work: 'reads' | 'writes'): Promise<boolean> {
    const ended = await this.db.affected(
      `UPDATE store_state SET ${NO_PAUSE}, pauses = 0
       WHERE store = $1 AND (paused_scope = ANY($2) OR (paused_scope IS NULL AND pauses > 0))`,
      [store, work === 'reads' ? ['everything'] : ['everything', 'writes']],
    );
    return ended === 1;
  }

  /** Ends the pause without proof of work: if the store refuses again, the next pause is longer. */
  async end(store: string): Promise<void> {
    await this.db.affected(`UPDATE store_state SET ${NO_PAUSE} WHERE store = $1`, [store]);
  }

  /** The API version that the store serves in place of the configured one; null when it serves that. */
  async serves(store: string, version: string | null): Promise<void> {
    await this.db.affected(
      `INSERT INTO store_state AS known (store, served_version) VALUES ($1, $2)
       ON CONFLICT (store) DO UPDATE SET served_version = excluded.served_version
       WHERE known.served_version IS DISTINCT FROM excluded.served_version`,
      [store, version],
    );
  }

  /** Stores whose pause has ended and that were not tried since then. */
  async dueTries(): Promise<string[]> {
    const rows = await this.db
      .repository(StoreStateEntity)
      .find({ select: { store: true }, where: { pausedUntil: BEFORE_NOW } });
    return rows.map((row) => row.store);
  }

  /** True for the one process that may try the store, whose pause is over; the others wait a minute for its result. */
  async takeDueTry(store: string): Promise<boolean> {
    const taken = await this.db.affected(
      `UPDATE store_state SET paused_until = now() + interval '1 minute' WHERE store = $1 AND paused_until <= now()`,
      [store],
    );
    return taken === 1;
  }

  /** Makes due at once what waits for the store: its ready write-backs, and its newest run if that is to be tried again. */
  async wake(store: string): Promise<Woken> {
    return this.db.transaction(async (runner) => {
      const writeBacks = await this.db.affected(
        `UPDATE write_back SET next_attempt_at = now() WHERE store = $1 AND state = 'ready' AND next_attempt_at > now()`,
        [store],
        runner,
      );
      const runs = await this.db.affected(
        `UPDATE sync_run SET retry_at = now() WHERE store = $1 AND retry_at > now() AND state IN ('partial', 'failed')`,
        [store],
        runner,
      );
      return { writeBacks, runs };
    });
  }
}
