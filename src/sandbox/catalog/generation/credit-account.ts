import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SandboxDatabase, type Queryable } from '../database.js';
import { SandboxSettings } from '../settings.js';

const rowValue = z.number();

/** The workspace's credits. The row is the only place that knows them, and its lock makes spending exact. */
@Injectable()
export class CreditAccount {
  constructor(
    private readonly database: SandboxDatabase,
    private readonly settings: SandboxSettings,
  ) {}

  /** Gives a new database its first credits. */
  async open(): Promise<void> {
    await this.database.query(
      `INSERT INTO setting (key, value) VALUES ('credits', to_jsonb($1::integer)) ON CONFLICT DO NOTHING`,
      [this.settings.credits],
    );
  }

  async remaining(db: Queryable): Promise<number> {
    const { rows } = await db.query<{ value: unknown }>(`SELECT value FROM setting WHERE key = 'credits'`);
    return rowValue.parse(rows[0]?.value);
  }

  /** False, and nothing taken, when fewer are left. */
  async consume(tx: Queryable, amount: number): Promise<boolean> {
    const { rowCount } = await tx.query(
      `UPDATE setting SET value = to_jsonb((value #>> '{}')::integer - $1)
       WHERE key = 'credits' AND (value #>> '{}')::integer >= $1`,
      [amount],
    );
    return rowCount === 1;
  }
}
