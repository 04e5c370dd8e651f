import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { BEFORE_NOW, Database } from './database.js';
import { UsedKeyEntity } from './entities/used-key.entity.js';

/** The key that an actor gave a request. */
export type RequestKey = Pick<UsedKeyEntity, 'actor' | 'key'>;
export type KnownRequest = Pick<UsedKeyEntity, 'request' | 'status' | 'answer'>;

const TOKENS = '';

/**
 * Tokens that are used up, and requests of the API that carry a key, with their answers.
 *
 * SQL: the conflict clause finds a second use in any replica, and what expires does so by the clock of the database.
 */
@Injectable()
export class UsedKeyRepository {
  constructor(private readonly db: Database) {}

  /** True for the first use of a token, which would expire at `until`. */
  async use(id: string, until: Date): Promise<boolean> {
    await this.#forgetExpired();
    return this.db.moves(
      'INSERT INTO used_key (actor, key, until) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [TOKENS, id, until],
    );
  }

  async isUsed(id: string): Promise<boolean> {
    return this.db.repository(UsedKeyEntity).existsBy({ actor: TOKENS, key: id });
  }

  /**
   * Claims the key for a request; null when it is claimed. Otherwise the request that has it. A claim whose process died ends after an hour:
   * no answer takes as long.
   */
  async claim({ actor, key }: RequestKey, request: string): Promise<KnownRequest | null> {
    await this.#forgetExpired();
    const claimed = await this.db.moves(
      `INSERT INTO used_key (actor, key, request, until) VALUES ($1, $2, $3, now() + interval '1 hour')
       ON CONFLICT DO NOTHING`,
      [actor, key, request],
    );
    if (claimed) return null;
    const known = await this.db.repository(UsedKeyEntity).findOneBy({ actor, key });
    // Gone meanwhile: its request has failed at this moment.
    return known ?? { request, status: null, answer: null };
  }

  /** Keeps the answer for a day. */
  async keep({ actor, key }: RequestKey, status: number, answer: string): Promise<void> {
    await this.db.affected(
      `UPDATE used_key SET status = $3, answer = $4, until = now() + interval '24 hours'
       WHERE actor = $1 AND key = $2 AND status IS NULL`,
      [actor, key, status, answer],
    );
  }

  /** Frees the key of a request that failed. */
  async release({ actor, key }: RequestKey): Promise<void> {
    await this.db.repository(UsedKeyEntity).delete({ actor, key, status: IsNull() });
  }

  async #forgetExpired(): Promise<void> {
    await this.db.repository(UsedKeyEntity).delete({ until: BEFORE_NOW });
  }
}
