import { Injectable } from '@nestjs/common';
import { BEFORE_NOW, Database } from './database.js';
import { UsedTokenEntity } from './entities/used-token.entity.js';

/** Tokens that count no more before their time, in every process. */
@Injectable()
export class UsedTokenRepository {
  constructor(private readonly db: Database) {}

  /** True for the first use of a token, which would expire at `until`. Forgets those that have expired. */
  async use(id: string, until: Date): Promise<boolean> {
    await this.db.repository(UsedTokenEntity).delete({ until: BEFORE_NOW });
    // SQL: the conflict clause finds a second use in any replica.
    const used = await this.db.affected(
      'INSERT INTO used_token (id, until) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [id, until],
    );
    return used === 1;
  }

  async isUsed(id: string): Promise<boolean> {
    return this.db.repository(UsedTokenEntity).existsBy({ id });
  }
}
