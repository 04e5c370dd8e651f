import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { BEFORE_NOW, Database } from './database.js';
import { KeyedRequestEntity } from './entities/keyed-request.entity.js';

/** The key that an actor gave a request. */
export type RequestKey = Pick<KeyedRequestEntity, 'actor' | 'key'>;
export type KnownRequest = Pick<KeyedRequestEntity, 'request' | 'status' | 'answer'>;

/** Requests of the API that carry a key, and their answers. */
@Injectable()
export class KeyedRequestRepository {
  constructor(private readonly db: Database) {}

  /**
   * Claims the key for a request; null when it is claimed. Otherwise the request that has it. A claim whose process died ends after an hour:
   * no answer takes as long.
   */
  async claim({ actor, key }: RequestKey, request: string): Promise<KnownRequest | null> {
    const rows = this.db.repository(KeyedRequestEntity);
    await rows.delete({ until: BEFORE_NOW });
    // SQL: the conflict clause finds the same key in any replica.
    const claimed = await this.db.affected(
      `INSERT INTO keyed_request (actor, key, request, until) VALUES ($1, $2, $3, now() + interval '1 hour')
       ON CONFLICT DO NOTHING`,
      [actor, key, request],
    );
    if (claimed === 1) return null;
    // Gone meanwhile: its request has failed at this moment.
    return (await rows.findOneBy({ actor, key })) ?? { request, status: null, answer: null };
  }

  /** Keeps the answer for a day. */
  async keep({ actor, key }: RequestKey, status: number, answer: string): Promise<void> {
    await this.db.affected(
      // SQL: the end is measured by the clock of the database.
      `UPDATE keyed_request SET status = $3, answer = $4, until = now() + interval '24 hours'
       WHERE actor = $1 AND key = $2 AND status IS NULL`,
      [actor, key, status, answer],
    );
  }

  /** Frees the key of a request that failed. */
  async release({ actor, key }: RequestKey): Promise<void> {
    await this.db.repository(KeyedRequestEntity).delete({ actor, key, status: IsNull() });
  }
}
