import type { DataSource } from 'typeorm';
import type { AppConfig, ConfigSource } from '../config/index.js';
import { connect, SILENT_OBSERVERS } from '../connections/connect.js';
import type { Connections } from '../connections/connections.js';
import { InstallationTokens } from '../connections/installation-tokens.js';
import { InstalledStores } from '../connections/installed-stores.js';
import { counted } from '../domain/text.js';
import { WebhookSlot } from '../connections/webhook-slot.js';
import { openDataSource, pendingMigrations, placeOf } from '../persistence/data-source.js';
import { Database } from '../persistence/database.js';
import type { StoreInstallationEntity } from '../persistence/entities/index.js';
import { SidePauseRepository } from '../persistence/side-pause.repository.js';
import { StoreInstallationRepository } from '../persistence/store-installation.repository.js';
import { SYSTEM_CLOCK } from '../runtime/clock.js';
import { SILENT_LOGGER } from '../runtime/logger.js';
import { checkConnections, IMPATIENT, probed, publicUrlAnswer, type Finding } from './check.js';
import { installationFindings, pauseFindings, uninstalledKeys } from './check-store-states.js';

/** What a check uses once the database could be opened. */
interface Opened {
  readonly config: AppConfig;
  readonly source: ConfigSource;
  readonly databaseUrl: string;
}

/** The part of the stores that is in the database: installations with their tokens, and pauses. */
interface KnownStores {
  readonly installed: InstalledStores;
  readonly installations: readonly StoreInstallationEntity[];
  readonly pauses: SidePauseRepository;
}

/** Reading the slot needs no database. Without one, a webhook secret that the service masks is taken for ours. */
export const NO_STATE = {
  reportWebhook: () => Promise.resolve(),
  sentWebhookSecret: () => Promise.resolve(null),
  webhookSecretSent: () => Promise.resolve(),
};

/** Tests database, queue, both sides and the public address. `process`: null when no database could be opened. Changes nothing. */
export async function checkSetup(config: AppConfig, process: Opened | null): Promise<readonly Finding[]> {
  const source = process === null ? null : openDataSource({ url: process.databaseUrl, poolSize: 2 });
  const here =
    process === null || source === null ? [] : [checkDatabase(process, source), checkQueue(process.config)];
  const [database = [], queue = []] = await Promise.all(here);
  // A database that does not answer is reported once.
  const answering = database.every(({ level }) => level !== 'FAIL') ? source : null;
  let known: KnownStores | null = null;
  const unknown =
    process === null || answering === null
      ? []
      : await probed('installed stores', async () => {
          known = await findKnownStores(process, await answering);
          return [];
        });
  return inConnections(config, known, async (connections) => {
    try {
      const beyond = checkConnections(
        connections,
        (workspace) => new WebhookSlot(config, NO_STATE).look(workspace),
        uninstalledKeys(known?.installations ?? []),
      );
      const { publicUrl } = config.server;
      const reached = publicUrl === undefined ? [] : [await publicUrlAnswer(publicUrl)];
      const states = await probed('stores', () => storeStates(known, connections));
      return [...reached, ...database, ...queue, ...unknown, ...states, ...(await beyond)];
    } finally {
      const closed = source?.then((opened) => opened.destroy()).catch(() => undefined);
      // A database that has not answered so far is closed as soon as it does, and the findings do not wait for that.
      if (answering !== null) await closed;
    }
  });
}

async function inConnections<T>(
  config: AppConfig,
  known: KnownStores | null,
  work: (connections: Connections) => Promise<T>,
): Promise<T> {
  const connections = connect(config, SILENT_OBSERVERS, { waits: IMPATIENT, installed: known?.installed });
  try {
    return await work(connections);
  } finally {
    await connections.close();
  }
}

/** Null while migrations are pending, because the tables may be missing. Throws when the database does not answer. */
async function findKnownStores({ config, source }: Opened, opened: DataSource): Promise<KnownStores | null> {
  if ((await pendingMigrations(opened)) > 0) return null;
  const database = new Database(opened);
  const rows = new StoreInstallationRepository(database);
  const tokens = new InstallationTokens(config, rows, SYSTEM_CLOCK);
  const installed = new InstalledStores(rows, source, tokens, SILENT_LOGGER);
  await installed.look();
  return { installed, installations: await rows.all(), pauses: new SidePauseRepository(database) };
}

/** Installations and pauses, as the database has them. */
async function storeStates(known: KnownStores | null, connections: Connections): Promise<readonly Finding[]> {
  if (known === null) return [];
  const pauses = connections.stores.map(
    async ({ key }) => [key, await known.pauses.store.standing(key)] as const,
  );
  return [
    ...installationFindings(known.installations, known.installed.join().left),
    ...pauseFindings(await Promise.all(pauses)),
  ];
}

function checkDatabase(
  { config, databaseUrl }: Opened,
  source: Promise<DataSource>,
): Promise<readonly Finding[]> {
  return probed('database', async () => {
    const opened = await source;
    await new Database(opened).assertWritable();
    const pending = await pendingMigrations(opened);
    const { url, dataDir, migrate } = config.database;
    const place = url === 'embedded' ? `embedded, in ${dataDir}` : placeOf(databaseUrl);
    if (pending === 0) return { level: 'ok', what: 'database', detail: `${place}, all migrations applied` };
    const count = counted(pending, 'migration');
    const todo = migrate ? 'the start command applies them' : 'run store-sync migrate';
    return { level: 'warn', what: 'database', detail: `${place}, ${count} pending: ${todo}` };
  });
}

function checkQueue({ queue: { redisUrl } }: AppConfig): Promise<readonly Finding[]> {
  return probed('queue', async () => {
    if (redisUrl === undefined) return { level: 'ok', what: 'queue', detail: 'runs on PostgreSQL' };
    const [{ openQueueBackend }, { runProbeJob }] = await Promise.all([
      import('../queue/open-queue-backend.js'),
      import('../queue/job-probe.js'),
    ]);
    const backend = await openQueueBackend(
      { kind: 'redis', redisUrl },
      { waitMs: 4_000, log: () => undefined },
    );
    try {
      await runProbeJob(backend);
      return { level: 'ok', what: 'queue', detail: 'Redis answers, and ran a job' };
    } finally {
      await backend.close();
    }
  });
}
