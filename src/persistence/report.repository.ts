import { Injectable } from '@nestjs/common';
import { Database, json } from './database.js';
import { ReportEntity, type ReportKind } from './entities/report.entity.js';
import { idRow } from './rows.js';

/** A process without a sign of life for this long has died. */
const SILENCE = '1 minute';
const KEPT = '30 days';

/**
 * Reports of the dashboard.
 *
 * SQL: the silence of a process is measured by the clock of the database, and each write is guarded by the state.
 */
@Injectable()
export class ReportRepository {
  constructor(private readonly db: Database) {}

  /** Begins a report. Null while one of the same kind and store is being made. */
  async begin(kind: ReportKind, store: string, actor: string): Promise<string | null> {
    await this.db.affected(`DELETE FROM report WHERE created_at < now() - interval '${KEPT}'`);
    await this.#endSilent();
    const row = await this.db.readOne(
      idRow,
      `INSERT INTO report (kind, store, actor) VALUES ($1, $2, $3)
       ON CONFLICT (kind, store) WHERE state = 'running' DO NOTHING RETURNING id`,
      [kind, store, actor],
    );
    return row?.id ?? null;
  }

  /** Says that its process lives. False when the report has ended. */
  async seen(id: string, progress: number): Promise<boolean> {
    return this.db.moves(
      `UPDATE report SET progress = $2, seen_at = now() WHERE id = $1 AND state = 'running'`,
      [id, progress],
    );
  }

  async done(id: string, progress: number, result: object): Promise<void> {
    await this.db.affected(
      `UPDATE report SET state = 'done', progress = $2, result = $3, finished_at = now() WHERE id = $1 AND state = 'running'`,
      [id, progress, json(result)],
    );
  }

  async failed(id: string, error: string): Promise<void> {
    await this.db.affected(
      `UPDATE report SET state = 'failed', error = $2, finished_at = now() WHERE id = $1 AND state = 'running'`,
      [id, error],
    );
  }

  async get(id: string): Promise<ReportEntity | null> {
    await this.#endSilent();
    return this.db.byId(ReportEntity, id);
  }

  /** The newest of a kind for the store; null when there is none. */
  async newest(kind: ReportKind, store: string): Promise<ReportEntity | null> {
    await this.#endSilent();
    return this.db.repository(ReportEntity).findOne({ where: { kind, store }, order: { createdAt: 'DESC' } });
  }

  async #endSilent(): Promise<void> {
    await this.db.affected(
      `UPDATE report SET state = 'failed', error = $1, finished_at = now()
       WHERE state = 'running' AND seen_at < now() - interval '${SILENCE}'`,
      ['the process that made it stopped; ask again'],
    );
  }
}
