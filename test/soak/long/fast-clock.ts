import { fileURLToPath } from 'node:url';
import type { WorldDatabase } from '../../support/world/database.js';

const PRELOAD = fileURLToPath(new URL('../../support/world/fast-clock.mjs', import.meta.url));
const HOUR_MS = 3_600_000;

/** A clock that runs faster from the moment when it is made: in the daemon, its database and both of its sides. */
export class FastClock {
  private readonly sinceMs = Date.now();

  constructor(private readonly speed: number) {}

  readonly now = (): Date => new Date(this.sinceMs + (Date.now() - this.sinceMs) * this.speed);

  /** Hours that have passed by this clock. */
  get hours(): number {
    return (this.now().getTime() - this.sinceMs) / HOUR_MS;
  }

  /** The time so many hours after the start. */
  at(hours: number): Date {
    return new Date(this.sinceMs + hours * HOUR_MS);
  }

  /** The preload of a daemon, and what it has to know. */
  get preload(): { readonly option: string; readonly env: Readonly<Record<string, string>> } {
    const { sinceMs, speed } = this;
    return {
      option: `--import=${PRELOAD}`,
      env: { STORE_SYNC_TEST_FAST_CLOCK: JSON.stringify({ sinceMs, speed }) },
    };
  }

  /**
   * Lets the database follow. Its sessions find these functions before PostgreSQL's own, because `pg_catalog` has a place in the search
   * path. Column defaults get them with the migrations, so the tables must not exist yet.
   */
  async install(database: WorldDatabase): Promise<void> {
    const since = `'${new Date(this.sinceMs).toISOString()}'::timestamptz`;
    const volatility = { now: 'STABLE', transaction_timestamp: 'STABLE', clock_timestamp: 'VOLATILE' };
    for (const [name, kind] of Object.entries(volatility))
      await database.rows(
        `CREATE FUNCTION public.${name}() RETURNS timestamptz LANGUAGE sql ${kind} PARALLEL SAFE AS
         $$ SELECT ${since} + (pg_catalog.${name}() - ${since}) * ${String(this.speed)} $$`,
      );
    const name = new URL(database.url).pathname.slice(1);
    await database.rows(`ALTER DATABASE ${name} SET search_path = public, pg_catalog`);
  }
}
