import { Injectable } from '@nestjs/common';
import { BEFORE_NOW, Database } from './database.js';
import { RevokedSessionEntity } from './entities/index.js';

/** Sessions of the dashboard that ended before their time, in every replica. */
@Injectable()
export class SessionRepository {
  constructor(private readonly db: Database) {}

  /** `id` is a hash of the session's id; `until` is when its cookie would have ended. Forgets those that are over. */
  async revoke(id: string, until: Date): Promise<void> {
    const sessions = this.db.repository(RevokedSessionEntity);
    await sessions.delete({ until: BEFORE_NOW });
    await sessions.createQueryBuilder().insert().values({ id, until }).orIgnore().execute();
  }

  async isRevoked(id: string): Promise<boolean> {
    return this.db.repository(RevokedSessionEntity).existsBy({ id });
  }
}
