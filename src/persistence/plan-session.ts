import pLimit from 'p-limit';
import type { EntityTarget, FindManyOptions, ObjectLiteral, QueryRunner } from 'typeorm';
import type { Database, SqlValue } from './database.js';
import { IDLE_IN_TRANSACTION_MS } from './bounded-client.js';
import type { RowReader } from './row-reader.js';

/** Several times within the limit, so that a slow answer does not end the plan. */
const REFRESH_MS = IDLE_IN_TRANSACTION_MS / 4;

/** The run that a plan is made for. */
export interface PlannedRun {
  readonly id: string;
  readonly store: string;
  readonly workspace: string;
  /** The lease of the worker that plans it. Without one, as in a dry run, nothing is kept before the commit. */
  readonly lease?: string | null;
}

/**
 * The one connection of a plan, in a transaction. Its statements go one at a time, while what was read before is planned. The store may
 * take minutes for a page of its export, so a statement every now and then keeps the transaction open.
 */
export class PlanSession {
  readonly #inTurn = pLimit(1);
  readonly #refresh: NodeJS.Timeout;

  constructor(
    readonly db: Database,
    readonly runner: QueryRunner,
    readonly run: PlannedRun,
    refreshMs = REFRESH_MS,
  ) {
    this.#refresh = setInterval(() => {
      this.#showLife();
    }, refreshMs);
    this.#refresh.unref();
  }

  /** Rolls back what was not committed, and gives the connection back. */
  async end(): Promise<void> {
    clearInterval(this.#refresh);
    await this.inTurn(() => this.runner.release());
  }

  #showLife(): void {
    if (this.#inTurn.activeCount > 0) return;
    // SQL: the shortest statement. Where it fails, the plan's next statement fails too, and says so.
    this.inTurn(() => this.runner.query('SELECT 1')).catch(() => undefined);
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(work);
  }

  read<T>(reader: RowReader<T>, sql: string, values: readonly SqlValue[] = []): Promise<T[]> {
    return this.#inTurn(() => this.db.read(reader, sql, values, this.runner));
  }

  readOne<T>(reader: RowReader<T>, sql: string, values: readonly SqlValue[] = []): Promise<T | null> {
    return this.#inTurn(() => this.db.readOne(reader, sql, values, this.runner));
  }

  /** A plain read by the query builder. */
  find<E extends ObjectLiteral>(entity: EntityTarget<E>, options: FindManyOptions<E>): Promise<E[]> {
    return this.#inTurn(() => this.runner.manager.getRepository(entity).find(options));
  }

  entities<E extends object>(
    entity: EntityTarget<E>,
    sql: string,
    values: readonly SqlValue[] = [],
  ): Promise<E[]> {
    return this.#inTurn(() => this.db.entities(entity, sql, values, this.runner));
  }

  affected(sql: string, values: readonly SqlValue[] = []): Promise<number> {
    return this.#inTurn(() => this.db.affected(sql, values, this.runner));
  }

  /** A statement that may fail without failing the plan: it is undone, and the error is thrown. */
  attempt(sql: string, values: readonly SqlValue[]): Promise<number> {
    return this.#inTurn(async () => {
      // Inside the plan's transaction this is a savepoint.
      await this.runner.startTransaction();
      try {
        const count = await this.db.affected(sql, values, this.runner);
        await this.runner.commitTransaction();
        return count;
      } catch (error) {
        await this.runner.rollbackTransaction();
        throw error;
      }
    });
  }
}
