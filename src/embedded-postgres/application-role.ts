import { createHmac } from 'node:crypto';
import type pg from 'pg';

/** The database that the application gets. The locks are in `postgres`, beside it. */
export const APPLICATION_DATABASE = 'store_sync';

/** The role that the application connects as. It owns its database and nothing else, and is no superuser. */
export const APPLICATION_ROLE = 'store_sync_owner';

/** Any number, the same for every process: one at a time prepares the database. */
const PREPARE_LOCK = 7_305_411_002;

/** The application's password is derived from the cluster's password, and does not reveal it. */
export function applicationPassword(clusterPassword: string): string {
  return createHmac('sha256', clusterPassword).update(APPLICATION_ROLE).digest('hex');
}

/**
 * Makes the application's role and database where they are missing, and hands over what an older release made as superuser.
 * `admin` is connected to `postgres` as superuser; `inDatabase` runs a statement in the application's database as superuser.
 *
 * SQL: roles and databases have no entity.
 */
export async function prepareApplication(
  admin: pg.Client,
  clusterPassword: string,
  inDatabase: (statement: string) => Promise<void>,
): Promise<void> {
  await admin.query('SELECT pg_advisory_lock($1)', [PREPARE_LOCK]);
  try {
    const role = await admin.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [APPLICATION_ROLE]);
    if (role.rowCount === 0) {
      const password = admin.escapeLiteral(applicationPassword(clusterPassword));
      await admin.query(
        `CREATE ROLE ${APPLICATION_ROLE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ${password}`,
      );
    }
    const database = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [
      APPLICATION_DATABASE,
    ]);
    if (database.rowCount === 0) {
      await admin.query(`CREATE DATABASE ${APPLICATION_DATABASE} OWNER ${APPLICATION_ROLE}`);
    } else {
      await admin.query(`ALTER DATABASE ${APPLICATION_DATABASE} OWNER TO ${APPLICATION_ROLE}`);
      await inDatabase(HAND_OVER);
    }
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [PREPARE_LOCK]);
  }
}

/**
 * Gives everything in the database to the application's role. Not `REASSIGN OWNED`, which PostgreSQL refuses for the superuser that
 * made the cluster. Sequences of a column and members of an extension follow their table or extension.
 */
const HAND_OVER = `DO $$
  DECLARE
    item text;
  BEGIN
    SET LOCAL lock_timeout = '5s';
    FOR item IN
      SELECT format('SCHEMA %I', nspname) FROM pg_namespace
        WHERE nspowner <> '${APPLICATION_ROLE}'::regrole AND nspowner <> 'pg_database_owner'::regrole
          AND nspname !~ '^pg_' AND nspname <> 'information_schema'
      UNION ALL
      SELECT format('%s %s', CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
          ELSE 'TABLE' END, class.oid::regclass)
        FROM pg_class AS class JOIN pg_namespace AS space ON space.oid = relnamespace
        WHERE relkind IN ('r', 'p', 'v', 'm', 'S') AND relowner <> '${APPLICATION_ROLE}'::regrole
          AND nspname !~ '^pg_' AND nspname <> 'information_schema'
          AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = class.oid
            AND deptype IN ('a', 'i', 'e'))
      UNION ALL
      SELECT format('ROUTINE %s', routine.oid::regprocedure)
        FROM pg_proc AS routine JOIN pg_namespace AS space ON space.oid = pronamespace
        WHERE proowner <> '${APPLICATION_ROLE}'::regrole AND nspname !~ '^pg_' AND nspname <> 'information_schema'
          AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = routine.oid AND deptype = 'e')
      UNION ALL
      SELECT format('TYPE %s', type.oid::regtype)
        FROM pg_type AS type JOIN pg_namespace AS space ON space.oid = typnamespace
        WHERE typtype IN ('e', 'd') AND typowner <> '${APPLICATION_ROLE}'::regrole
          AND nspname !~ '^pg_' AND nspname <> 'information_schema'
          AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_type'::regclass AND objid = type.oid AND deptype = 'e')
    LOOP
      EXECUTE format('ALTER %s OWNER TO %I', item, '${APPLICATION_ROLE}');
    END LOOP;
  END $$`;
