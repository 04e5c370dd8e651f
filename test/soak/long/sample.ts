import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { until } from '../../support/until.js';
import type { Memory, MemoryProbe } from '../../support/memory-probe.js';
import type { WorldDatabase } from '../../support/world/database.js';
import type { Figure, Figures } from './figures.js';
import { KEEP_DAYS } from './retention.js';

export interface Sampled {
  readonly pid: number;
  readonly probe: MemoryProbe;
  readonly database: WorldDatabase;
  /** Where the daemon keeps its temporary files. */
  readonly temporary: string;
}

const LOOKS = 12;
/** Longer together than a pool keeps an idle connection. */
const LOOK_EVERY_MS = 1_000;
const KB = 1024;
const PAGES_KB = 128;
const ROWS = 20;
const LOCK_NOT_AVAILABLE = '55P03';

/** Tables that keep their rows, and why. */
const JOURNALS: Readonly<Record<string, string>> = {
  'public.write_back': 'a journal: a row for each result',
  'public.store_day': 'a row for each store and day',
};

/**
 * Tables whose size varies by chance, and by how many rows. BullMQ keeps the newest 10,000 events of all queues together. It removes the
 * older ones of a queue when an event of that queue has a number that 256 divides: until then, each queue holds some hundred of them.
 */
const VARYING: Readonly<Record<string, number>> = { 'bullmq.event': 2_000 };

const NEWEST_LISTING = 'listing_id = (SELECT max(id) FROM catalog_listing WHERE read_at IS NOT NULL)';
/** While a run reads the next listing, these have the rows of both. Those of the newest one are counted. */
const OF_A_LISTING: ReadonlySet<string> = new Set(['public.catalog_listed']);

/** Looks several times at a daemon that has nothing to do, because its timers still fire. */
export async function sample(place: Sampled): Promise<Figures> {
  const figures = new Map<string, Figure>();
  const looks: (Memory & { readonly files: number; readonly connections: number })[] = [];
  while (looks.length < LOOKS) {
    const files = (await readdir(`/proc/${String(place.pid)}/fd`)).length;
    looks.push({
      ...(await place.probe.measure(place.pid)),
      files,
      connections: await connections(place.database),
    });
    await sleep(LOOK_EVERY_MS);
  }
  const note = (name: string, values: readonly number[], slack: number): void =>
    void figures.set(name, { value: median(values), slack });
  note(
    'resident memory, MB',
    looks.map(({ resident }) => resident),
    0,
  );
  note(
    'objects in use, MB',
    looks.map(({ inUse }) => inUse),
    3,
  );
  note(
    'open files and sockets',
    looks.map(({ files }) => files),
    3,
  );
  for (const kind of new Set(looks.flatMap(({ handles }) => Object.keys(handles))))
    note(
      `handles: ${kind}`,
      looks.map(({ handles }) => handles[kind] ?? 0),
      3,
    );
  note(
    'database connections',
    looks.map((look) => look.connections),
    2,
  );
  figures.set('deliveries settled in the hour before', {
    value: await settledOfLate(place.database),
    slack: 0,
    grows: 'what the size of history depends on',
  });
  note('temporary files', [(await readdir(place.temporary, { recursive: true })).length], 1);
  for (const [name, figure] of await tables(place.database)) figures.set(name, figure);
  return figures;
}

async function settledOfLate(database: WorldDatabase): Promise<number> {
  const [row] = await database.rows<{ count: string }>(
    // The session may be older than the fast clock.
    `SELECT count(*) FROM webhook_delivery WHERE settled_at > public.now() - interval '${String(KEEP_DAYS)} days'`,
  );
  return Number(row?.count ?? 0);
}

async function connections(database: WorldDatabase): Promise<number> {
  const [row] = await database.rows<{ count: string }>(
    `SELECT count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND application_name <> ''`,
  );
  return Number(row?.count ?? 0);
}

/** Rows and size of every table. A full VACUUM leaves no room that earlier rows took. */
async function tables(database: WorldDatabase): Promise<Map<string, Figure>> {
  const figures = new Map<string, Figure>();
  const client = await (await database.pool()).connect();
  try {
    // A plan that waits for another connection must not wait for a table that VACUUM wants: VACUUM gives up, and tries again.
    await client.query(`SET lock_timeout = '200ms'`);
    const { rows: names } = await client.query<{ name: string }>(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables
       WHERE schemaname !~ '^pg_' AND schemaname <> 'information_schema' ORDER BY 1`,
    );
    for (const { name } of names) {
      await until(`the lock of ${name}`, () => vacuumed(client, name));
      const { rows } = await client.query<{ rows: string; bytes: string }>(
        `SELECT (SELECT count(*) FROM ${name} WHERE ${OF_A_LISTING.has(name) ? NEWEST_LISTING : 'true'}) AS rows,
           pg_total_relation_size('${name}') AS bytes`,
      );
      noteTable(figures, name, Number(rows[0]?.rows ?? 0), Number(rows[0]?.bytes ?? 0));
      if (!OF_A_LISTING.has(name)) continue;
      const { rows: left } = await client.query<{ rows: string }>(
        `SELECT count(*) AS rows FROM ${name} WHERE listing_id NOT IN (SELECT id FROM catalog_listing)`,
      );
      figures.set(`${name}, rows of no listing`, { value: Number(left[0]?.rows ?? 0), slack: 0 });
    }
  } finally {
    client.release(true);
  }
  return figures;
}

/** False when the table was locked for too long. */
async function vacuumed(client: pg.PoolClient, table: string): Promise<boolean> {
  try {
    await client.query(`VACUUM (FULL) ${table}`);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

function noteTable(figures: Map<string, Figure>, name: string, rows: number, bytes: number): void {
  const grows = JOURNALS[name];
  const why = grows === undefined ? {} : { grows };
  const varying = VARYING[name] ?? 0;
  const varyingKb = rows === 0 ? 0 : (varying * bytes) / rows / KB;
  figures.set(`${name}, rows`, { value: rows, slack: ROWS + varying, ...why });
  figures.set(`${name}, KB`, { value: Math.round(bytes / KB), slack: PAGES_KB + varyingKb, ...why });
  if (grows !== undefined && rows > 0)
    figures.set(`${name}, bytes of a row`, { value: Math.round(bytes / rows), slack: KB });
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
