import type { DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import { within } from '../runtime/time-limit.js';
import { statementError } from './statement-error.js';

/** A ROLLBACK that takes longer is not coming: its connection is closed. */
const ROLLBACK_MS = 3000;

/**
 * TypeORM's connection to PostgreSQL with three guarantees that TypeORM leaves to its callers:
 * - A connection never returns to the pool inside a transaction. It is rolled back first, and closed when that fails.
 * - A COMMIT after a failed statement throws that statement's error. PostgreSQL answers it with a silent rollback.
 * - Errors hold no values of the statement. A value that PostgreSQL refuses is an `invalid` error, and a connection that ended or was not
 *   to be had is a `DatabaseAwayError`.
 */
class GuardedQueryRunner extends PostgresQueryRunner {
  #failure: Error | undefined;

  override async query(query: string, parameters?: unknown[], useStructuredResult = false): Promise<unknown> {
    try {
      const result: unknown = await super.query(query, parameters, useStructuredResult);
      return result;
    } catch (error) {
      const failure = statementError(error, query);
      if (this.isTransactionActive) this.#failure ??= failure;
      throw failure;
    }
  }

  override async commitTransaction(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    await super.commitTransaction();
  }

  override async rollbackTransaction(): Promise<void> {
    await super.rollbackTransaction();
    this.#failure = undefined;
  }

  override async release(): Promise<void> {
    if (!this.isReleased && this.isTransactionActive) await this.#rollBackOrClose();
    await super.release();
  }

  async #rollBackOrClose(): Promise<void> {
    const rollback = this.rollbackTransaction().then(
      () => 'rolled back',
      () => 'failed',
    );
    const outcome = await within(ROLLBACK_MS, rollback, () => 'no answer');
    if (outcome === 'rolled back') return;
    const giveBack = this.releaseCallback;
    // The pool closes a connection that is given back with an error.
    this.releaseCallback = () => giveBack?.(new Error(`the transaction was not rolled back: ${outcome}`));
  }
}

/** Lets every connection of the source have the guarantees of `GuardedQueryRunner`. */
export function guardConnections(source: DataSource): void {
  const { driver } = source;
  if (!(driver instanceof PostgresDriver)) throw new Error('the data source is not of PostgreSQL');
  driver.createQueryRunner = (mode) => new GuardedQueryRunner(driver, mode);
}
