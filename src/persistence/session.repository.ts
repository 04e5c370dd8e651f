import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import { RevokedSessionEntity } from './entities/index.js';

/** Sessions of the dashboard that ended before their time, in every replica. */
@Injectable()
export class SessionRepository {
  constructor(private readonly db: Database) {}

  /** `id` is a hash of the session's id; `until` is when its cookie would have ended. Forgets those that are over. */
  async revoke(id: string, until: Date): Promise<void> {
    await this.db.affected('DELETE FROM revoked_session WHERE until < now()');
    await this.db.affected(
      'INSERT INTO revoked_session (id, until) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING',
      [id, until],
    );
  }

  async isRevoked(id: string): Promise<boolean> {
    return this.db.repository(RevokedSessionEntity).existsBy({ id });
  }
}
