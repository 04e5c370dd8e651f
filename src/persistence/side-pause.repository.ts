import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { BACKOFF } from '../domain/backoff.js';
import type { Side } from '../domain/errors.js';
import { PAUSE_CODES, type SidePause } from '../domain/side-pause.js';
import { Database, json, stepAt } from './database.js';

const standingPause = z.object({
  scope: z.enum(['everything', 'writes']),
  code: z.enum(PAUSE_CODES),
  reason: z.string(),
  since: z.date(),
  until: z.date(),
});
/** A pause as it stands; `until` may be over, and then the next piece of work tries the side. */
export type StandingPause = Readonly<z.infer<typeof standingPause>>;
const remaining = z.object({ remainingMs: z.number() });
const forbiddingPause = standingPause.extend(remaining.shape);

/** The work that a pause may forbid. */
type Work = 'reads' | 'writes';

/** The rows of a store that became due at once. */
export interface Woken {
  readonly writeBacks: number;
  readonly runs: number;
}

const PAUSE = `paused_scope AS scope, paused_code AS code, paused_reason AS reason, paused_since AS since,
  paused_until AS until`;

const NO_PAUSE = `paused_scope = NULL, paused_code = NULL, paused_reason = NULL, paused_since = NULL, paused_until = NULL`;

/**
 * Which stores, or which workspaces' catalogs, are paused: why, since when and until when. A side without a pause works, as far as is known.
 *
 * SQL: pauses grow and end by the clock of the database, in the statement that compares them.
 */
export class Pauses {
  /** The table, and its key. */
  readonly #table: string;
  readonly #key: string;

  constructor(
    private readonly db: Database,
    side: Side,
  ) {
    this.#key = side === 'store' ? 'store' : 'workspace';
    this.#table = `${this.#key}_state`;
  }

  /**
   * Pauses the side: 30 s at first, twice as long each further time, up to half an hour. The beginning of a pause that
   * stands is kept, and so is a wider scope. Its end is kept too, because requests that were under
   * way together are refused one after the other.
   * Returns how many milliseconds from now the side may be tried again.
   */
  pause(key: string, pause: Omit<SidePause, 'side'>): Promise<number> {
    return this.#pause(key, pause, 'known.paused_until > now()');
  }

  /** The side was tried, and still refuses: its pause goes on, twice as long. */
  prolong(key: string, pause: Omit<SidePause, 'side'>): Promise<number> {
    return this.#pause(key, pause, 'false');
  }

  async #pause(
    key: string,
    { scope, code, reason }: Omit<SidePause, 'side'>,
    keepsEnd: string,
  ): Promise<number> {
    const { remainingMs } = await this.db.one(
      remaining,
      `INSERT INTO ${this.#table} AS known (${this.#key}, paused_scope, paused_code, paused_reason, paused_since, paused_until, pauses)
       VALUES ($1, $2, $3, $4, now(), now() + ${stepAt('$5', '1')}, 1)
       ON CONFLICT (${this.#key}) DO UPDATE SET
         paused_scope = CASE WHEN known.paused_scope = 'everything' THEN known.paused_scope ELSE excluded.paused_scope END,
         paused_code = CASE WHEN known.paused_scope = 'everything' THEN known.paused_code ELSE excluded.paused_code END,
         paused_reason = CASE WHEN known.paused_scope = 'everything' AND excluded.paused_scope <> 'everything'
           THEN known.paused_reason ELSE excluded.paused_reason END,
         paused_since = coalesce(known.paused_since, now()),
         pauses = CASE WHEN ${keepsEnd} THEN known.pauses ELSE known.pauses + 1 END,
         paused_until = CASE WHEN ${keepsEnd} THEN known.paused_until ELSE now() + ${stepAt('$5', 'known.pauses + 1')} END
       RETURNING (extract(epoch FROM paused_until - now()) * 1000)::double precision AS remaining_ms`,
      [key, scope, code, reason, json(BACKOFF.sidePause.stepsMs)],
    );
    return remainingMs;
  }

  /** The pause that stands, also when its time is over and nothing has tried the side since; null when there is none. */
  async standing(key: string): Promise<StandingPause | null> {
    return this.db.readOne(
      standingPause,
      // SQL: shares its columns with the statement below.
      `SELECT ${PAUSE} FROM ${this.#table} WHERE ${this.#key} = $1 AND paused_since IS NOT NULL`,
      [key],
    );
  }

  /** The pause that forbids this work now; null when the work may try the side. */
  async forbids(key: string, work: Work): Promise<(StandingPause & { readonly remainingMs: number }) | null> {
    return this.db.readOne(
      forbiddingPause,
      // SQL: the rest of the pause is measured by the clock of the database.
      `SELECT ${PAUSE}, (extract(epoch FROM paused_until - now()) * 1000)::double precision AS remaining_ms
       FROM ${this.#table} WHERE ${this.#key} = $1 AND paused_until > now() AND paused_scope = ANY($2)`,
      [key, scopesOf(work)],
    );
  }

  /** Work of this kind succeeded: a read ends what paused reading, a write ends every pause. */
  async works(key: string, work: Work): Promise<void> {
    await this.db.affected(
      `UPDATE ${this.#table} SET ${NO_PAUSE}, pauses = 0
       WHERE ${this.#key} = $1 AND (paused_scope = ANY($2) OR (paused_scope IS NULL AND pauses > 0))`,
      [key, scopesOf(work)],
    );
  }

  /** Ends the pause without proof of work: if the side refuses again, the next pause is longer. */
  async end(key: string): Promise<void> {
    await this.db.affected(`UPDATE ${this.#table} SET ${NO_PAUSE} WHERE ${this.#key} = $1`, [key]);
  }

  /** Sides whose pause has ended and that were not tried since then. */
  async dueTries(): Promise<string[]> {
    return this.db.texts(`SELECT ${this.#key} AS key FROM ${this.#table} WHERE paused_until <= now()`);
  }

  /** True for the one process that may try the side, whose pause is over; the others wait a minute for its result. */
  async takeDueTry(key: string): Promise<boolean> {
    return this.db.moves(
      `UPDATE ${this.#table} SET paused_until = now() + interval '1 minute' WHERE ${this.#key} = $1 AND paused_until <= now()`,
      [key],
    );
  }

  /** Since when the side has not answered; null: it answers. */
  async reportSilence(key: string, since: Date | null): Promise<void> {
    await this.db.affected(
      since === null
        ? `UPDATE ${this.#table} SET silent_since = $2 WHERE ${this.#key} = $1 AND silent_since IS NOT NULL`
        : `INSERT INTO ${this.#table} (${this.#key}, silent_since) VALUES ($1, $2)
           ON CONFLICT (${this.#key}) DO UPDATE SET silent_since = excluded.silent_since`,
      [key, since],
    );
  }
}

function scopesOf(work: Work): readonly SidePause['scope'][] {
  return work === 'reads' ? ['everything'] : ['everything', 'writes'];
}

/** The pauses of both sides. */
@Injectable()
export class SidePauseRepository implements Readonly<Record<Side, Pauses>> {
  readonly store: Pauses;
  readonly catalog: Pauses;

  constructor(private readonly db: Database) {
    this.store = new Pauses(db, 'store');
    this.catalog = new Pauses(db, 'catalog');
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
