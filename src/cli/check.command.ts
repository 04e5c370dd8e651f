import type { DataSource } from 'typeorm';
import { connected, SILENT_OBSERVERS } from '../connections/connect.js';
import { Connections } from '../connections/connections.js';
import { secretValues, weakSecrets, type LoadedConfig } from '../config/index.js';
import { redactSecrets } from '../observability/logging/index.js';
import {
  checkConnections,
  dashboardFinding,
  notificationsFinding,
  secretFindings,
  probed,
  publicUrlAnswer,
  publicUrlFinding,
  type Finding,
} from '../operations/check.js';
import { installationFindings, pauseFindings } from '../operations/check-store-states.js';
import { openDataSource, pendingMigrations, placeOf } from '../persistence/data-source.js';
import { Database } from '../persistence/database.js';
import { WebhookSlot } from '../connections/webhook-slot.js';
import { IMPATIENT, NO_STATE } from './check-parts.js';
import { findKnownStores, type KnownStores } from './known-stores.js';
import { StoreSyncCommand } from './command.js';
import type { CommonOptions } from './options.js';
import { print } from './output.js';
import { openRuntimeFor, readConfig, type Runtime } from './runtime.js';
import { paintState } from './terminal.js';

export class CheckCommand extends StoreSyncCommand {
  protected async execute(options: CommonOptions): Promise<number> {
    const loaded = readConfig(options.config);
    const { config, warnings, files } = loaded;
    const findings: Finding[] = [
      { level: 'ok', what: 'configuration', detail: files.join(', ') },
      ...warnings.map((detail): Finding => ({ level: 'warn', what: 'configuration', detail })),
      ...secretFindings(weakSecrets(config)),
    ];
    if (Object.keys(config.stores).length === 0 && config.storeTemplate === undefined) {
      findings.push({
        level: 'warn',
        what: 'configuration',
        detail:
          'No store is configured. Run store-sync init, or copy config/example.yaml, and pass your file with --config.',
      });
    }
    const workspaces = Object.entries(config.workspaces).map(([key, { baseUrl }]) => ({ key, baseUrl }));
    if (workspaces.length > 0) findings.push(publicUrlFinding(config.server.publicUrl, workspaces));
    findings.push(dashboardFinding(config.server), notificationsFinding(config.notifications.webhookUrl));
    const runtime = await this.#open(loaded, findings);
    try {
      findings.push(...(await this.#checkAll(config, runtime)));
    } finally {
      await runtime?.release();
    }
    const secrets = secretValues(config);
    for (const { level, what, detail } of findings)
      print(redactSecrets(`${paintState(level, 4)}  ${what}: ${detail}`, secrets));
    const failed = findings.filter((finding) => finding.level === 'FAIL');
    const [first] = failed;
    if (first)
      process.stderr.write(
        redactSecrets(
          `store-sync: ${first.what}: ${first.detail}${failed.length > 1 ? ` (and ${String(failed.length - 1)} more)` : ''}\n`,
          secrets,
        ),
      );
    return failed.length === 0 ? 0 : 1;
  }

  /** The check reports a failing embedded database as a finding, too. */
  async #open(loaded: LoadedConfig, findings: Finding[]): Promise<Runtime | null> {
    const opened: Runtime[] = [];
    findings.push(
      ...(await probed('database', async () => {
        opened.push(await openRuntimeFor(loaded, 'stderr'));
        return [];
      })),
    );
    return opened[0] ?? null;
  }

  async #checkAll(config: Runtime['config'], runtime: Runtime | null): Promise<readonly Finding[]> {
    const opened: KnownStores[] = [];
    const source = runtime === null ? null : openDataSource({ url: runtime.databaseUrl, poolSize: 2 });
    const here =
      runtime === null || source === null ? [] : [checkDatabase(runtime, source), checkQueue(runtime)];
    const [database = [], queue = []] = await Promise.all(here);
    // A database that does not answer is reported once.
    const answering = database.every(({ level }) => level !== 'FAIL') ? source : null;
    const unknown =
      runtime === null || answering === null
        ? []
        : await probed('installed stores', async () => findInto(opened, runtime, await answering));
    const known = opened[0] ?? null;
    const installed = known === null ? {} : { installed: known.installed };
    const { workspaces, stores } = connected(config, SILENT_OBSERVERS, null, {
      patience: IMPATIENT,
      ...installed,
    });
    const connections = new Connections(workspaces, stores);
    try {
      const installations = known?.installations ?? [];
      const gone = installations.filter(({ uninstalledAt }) => uninstalledAt !== null);
      const beyond = checkConnections(
        connections,
        (workspace) => new WebhookSlot(config, NO_STATE).look(workspace),
        new Set(gone.map(({ storeKey }) => storeKey)),
      );
      const { publicUrl } = config.server;
      const reached = publicUrl === undefined ? [] : [publicUrlAnswer(publicUrl)];
      const states = known === null ? [] : await probed('stores', () => storeStates(known, connections));
      return [
        ...(await Promise.all(reached)),
        ...database,
        ...queue,
        ...unknown,
        ...states,
        ...(await beyond),
      ];
    } finally {
      await connections.close();
      const closed = source?.then((opened) => opened.destroy()).catch(() => undefined);
      // A database that has not answered so far is closed as soon as it does, and the findings do not wait for that.
      if (answering !== null) await closed;
    }
  }
}

/** Adds the stores that the database knows, and finds nothing. While migrations are pending, there are none. */
async function findInto(
  found: KnownStores[],
  runtime: Runtime,
  source: DataSource,
): Promise<readonly Finding[]> {
  const known = await findKnownStores(runtime, source);
  if (known !== null) found.push(known);
  return [];
}

/** Installations and pauses, as the database has them. */
async function storeStates(known: KnownStores, connections: Connections): Promise<readonly Finding[]> {
  const pauses = connections.stores.map(async ({ key }) => [key, await known.pauseOf(key)] as const);
  return [
    ...installationFindings(known.installations, known.installed.join().left),
    ...pauseFindings(await Promise.all(pauses)),
  ];
}

function checkDatabase(runtime: Runtime, source: Promise<DataSource>): Promise<readonly Finding[]> {
  return probed('database', async () => {
    const opened = await source;
    await new Database(opened).assertWritable();
    const pending = await pendingMigrations(opened);
    const detail =
      runtime.config.database.url === 'embedded'
        ? `embedded, in ${runtime.config.database.dataDir}`
        : placeOf(runtime.databaseUrl);
    if (pending === 0) return { level: 'ok', what: 'database', detail: `${detail}, all migrations applied` };
    const todo = runtime.config.database.migrate
      ? 'the start command applies them'
      : 'run store-sync migrate';
    return {
      level: 'warn',
      what: 'database',
      detail: `${detail}, ${pending === 1 ? '1 migration' : `${String(pending)} migrations`} pending: ${todo}`,
    };
  });
}

function checkQueue(runtime: Runtime): Promise<readonly Finding[]> {
  const { redisUrl } = runtime.config.queue;
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
