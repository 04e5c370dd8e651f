import { connected } from '../sites/connect-sites.js';
import { Sites } from '../sites/sites.js';
import { secretValues, weakSecrets } from '../config/index.js';
import { redactSecrets } from '../observability/logging/index.js';
import { Metrics } from '../observability/metrics/metrics.js';
import {
  checkSites,
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
import { SILENT_LOGGER } from '../runtime/logger.js';
import { WebhookSlot } from '../sites/webhook-slot.js';
import { IMPATIENT, NO_STATE } from './check-parts.js';
import { openKnownStores, type KnownStores } from './known-stores.js';
import { StoreSyncCommand, type CommonOptions } from './command.js';
import { print } from './output.js';
import { openRuntime, readConfig, type Runtime } from './runtime.js';
import { paintState } from './terminal.js';
import { messages } from './messages.js';

export class CheckCommand extends StoreSyncCommand {
  protected async execute(options: CommonOptions): Promise<number> {
    const { config, warnings, files } = readConfig(options.config);
    const findings: Finding[] = [
      { level: 'ok', what: 'configuration', detail: files.join(', ') },
      ...warnings.map((detail): Finding => ({ level: 'warn', what: 'configuration', detail })),
      ...secretFindings(weakSecrets(config)),
    ];
    if (Object.keys(config.stores).length === 0 && config.storeTemplate === undefined) {
      findings.push({
        level: 'warn',
        what: 'configuration',
        detail: messages.noStoreYet,
      });
    }
    const workspaces = Object.entries(config.workspaces).map(([key, { baseUrl }]) => ({ key, baseUrl }));
    if (workspaces.length > 0) findings.push(publicUrlFinding(config.server.publicUrl, workspaces));
    findings.push(dashboardFinding(config.server), notificationsFinding(config.notifications.webhookUrl));
    const runtime = await this.#open(options, findings);
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
  async #open(options: CommonOptions, findings: Finding[]): Promise<Runtime | null> {
    const opened: Runtime[] = [];
    findings.push(
      ...(await probed('database', async () => {
        opened.push(await openRuntime({ configFile: options.config, destination: 'stderr' }));
        return [];
      })),
    );
    return opened[0] ?? null;
  }

  async #checkAll(config: Runtime['config'], runtime: Runtime | null): Promise<readonly Finding[]> {
    const opened: KnownStores[] = [];
    const here = runtime === null ? [] : [checkDatabase(runtime), checkQueue(runtime)];
    const [database = [], queue = []] = await Promise.all(here);
    // A database that does not answer is reported once.
    const answers = runtime !== null && database.every(({ level }) => level !== 'FAIL');
    const unknown = answers ? await probed('installed stores', () => openInto(opened, runtime)) : [];
    const known = opened[0] ?? null;
    const observers = { metrics: new Metrics(), logger: SILENT_LOGGER };
    const installed = known === null ? {} : { installed: known.installed };
    const { workspaces, stores } = connected(config, observers, null, { patience: IMPATIENT, ...installed });
    const sites = new Sites(workspaces, stores);
    try {
      const installations = known?.installations ?? [];
      const gone = installations.filter(({ uninstalledAt }) => uninstalledAt !== null);
      const beyond = checkSites(
        sites,
        (workspace) => new WebhookSlot(config, NO_STATE).look(workspace),
        new Set(gone.map(({ storeKey }) => storeKey)),
      );
      const { publicUrl } = config.server;
      const reached = publicUrl === undefined ? [] : [publicUrlAnswer(publicUrl)];
      const states = known === null ? [] : await probed('stores', () => storeStates(known, sites));
      return [
        ...(await Promise.all(reached)),
        ...database,
        ...queue,
        ...unknown,
        ...states,
        ...(await beyond),
      ];
    } finally {
      await sites.close();
      await known?.close();
    }
  }
}

/** Adds the stores that the database knows, and finds nothing. While migrations are pending, there are none. */
async function openInto(opened: KnownStores[], runtime: Runtime): Promise<readonly Finding[]> {
  const known = await openKnownStores(runtime);
  if (known !== null) opened.push(known);
  return [];
}

/** Installations and pauses, as the database has them. */
async function storeStates(known: KnownStores, sites: Sites): Promise<readonly Finding[]> {
  const pauses = sites.stores.map(async ({ key }) => [key, await known.pauseOf(key)] as const);
  return [
    ...installationFindings(known.installations, known.installed.join().left),
    ...pauseFindings(await Promise.all(pauses)),
  ];
}

function checkDatabase(runtime: Runtime): Promise<readonly Finding[]> {
  return probed('database', async () => {
    const source = await openDataSource({ url: runtime.databaseUrl, poolSize: 2 });
    try {
      const pending = await pendingMigrations(source);
      const detail =
        runtime.config.database.url === 'embedded'
          ? `embedded, in ${runtime.config.database.dataDir}`
          : placeOf(runtime.databaseUrl);
      if (pending === 0) return { level: 'ok', what: 'database', detail: messages.migrationsApplied(detail) };
      const todo = runtime.config.database.migrate ? messages.startApplies : messages.runMigrate;
      return {
        level: 'warn',
        what: 'database',
        detail: `${detail}, ${pending === 1 ? '1 migration' : `${String(pending)} migrations`} pending: ${todo}`,
      };
    } finally {
      await source.destroy();
    }
  });
}

function checkQueue(runtime: Runtime): Promise<readonly Finding[]> {
  const { redisUrl } = runtime.config.queue;
  return probed('queue', async () => {
    if (redisUrl === undefined) return { level: 'ok', what: 'queue', detail: messages.queueInPostgres };
    const { openQueueBackend } = await import('../queue/open-queue-backend.js');
    const backend = await openQueueBackend(
      { kind: 'redis', redisUrl },
      { waitMs: 4_000, log: () => undefined },
    );
    try {
      await backend.ping();
      return { level: 'ok', what: 'queue', detail: messages.redisAnswers };
    } finally {
      await backend.close();
    }
  });
}
