import type { Logger } from 'pino';
import type { ProcessSettings } from '../app.module.js';
import {
  ConfigSource,
  environment,
  loadConfig,
  logLevel,
  type AppConfig,
  type LoadedConfig,
} from '../config/index.js';
import { createLogger, type LoggerSettings } from '../observability/logging/index.js';
import { CodedError } from '../domain/errors.js';

export interface Runtime extends ProcessSettings {
  readonly source: ConfigSource;
  readonly warnings: readonly string[];
  /** Releases the database. The last user of an embedded one stops it. */
  release(): Promise<void>;
}

/** Configuration and logger, which every process needs first. Throws `ConfigError`. */
export function readConfig(configFile: string | undefined): LoadedConfig {
  return loadConfig({ configFile, env: environment() });
}

/** The configuration of `start`. `roles` is the text of its flag. Throws `ConfigError`. */
export function readDaemonConfig(configFile: string | undefined, roles: string | undefined): LoadedConfig {
  return loadConfig({ configFile, env: environment(), daemon: { roles } });
}

/**
 * Configuration, logger and database address. Throws `ConfigError`, or the reason why the embedded database does not
 * start.
 */
export async function openRuntime(
  { config, warnings, dataDirBesideFile, readAgain, settings }: LoadedConfig,
  destination: 'stdout' | 'stderr',
): Promise<Runtime> {
  const source = new ConfigSource(config, readAgain, settings);
  const logger = createLogger(loggerSettings(source, destination));
  await refuseOtherDatabase(config, dataDirBesideFile);
  const database = await openDatabase(config, logger, destination);
  return {
    config,
    source,
    warnings,
    logger,
    databaseUrl: database.url,
    release: database.release,
  };
}

/** The output of a command is its result, so its log shows only problems unless LOG_LEVEL asks for more. */
function loggerSettings({ secrets }: ConfigSource, destination: 'stdout' | 'stderr'): LoggerSettings {
  const env = environment();
  const asked = logLevel(env);
  const level = destination === 'stderr' && env['LOG_LEVEL'] === undefined ? 'warn' : asked;
  const pretty = destination === 'stdout' ? process.stdout.isTTY : process.stderr.isTTY;
  return { level, pretty, secrets, destination };
}

/**
 * A relative `database.dataDir` counts from the working directory. Throws `misconfigured` if there is no database, but one beside the
 * configuration file: a new, empty one would let every product be created again.
 */
async function refuseOtherDatabase({ database }: AppConfig, besideFile: string | null): Promise<void> {
  if (database.url !== 'embedded' || besideFile === null) return;
  const { hasDatabase } = await embedded();
  if ((await hasDatabase(database.dataDir)) || !(await hasDatabase(besideFile))) return;
  throw new CodedError(
    'misconfigured',
    `there is no database in ${database.dataDir}, but one in ${besideFile}: change the working directory, or set database.dataDir to an absolute path`,
  );
}

/** Imported only where it is used, because it loads the modules that start processes. */
const embedded = () => import('../embedded-postgres/index.js');

async function openDatabase(
  config: AppConfig,
  logger: Logger,
  destination: 'stdout' | 'stderr',
): Promise<{ url: string; release: () => Promise<void> }> {
  const { url, dataDir } = config.database;
  if (url !== 'embedded') return { url, release: () => Promise.resolve() };
  const { openEmbeddedPostgres } = await embedded();
  const server = await openEmbeddedPostgres({
    dataDir,
    // A wrong working directory must not go unnoticed: `database.dataDir` is relative to it.
    onCreated: () => {
      const line = `made a new, empty database in ${dataDir} (database.dataDir)`;
      // A person reads what a command says.
      if (destination === 'stderr') process.stderr.write(`${line}\n`);
      else logger.warn({ stage: 'database', dataDir }, line);
    },
    log: (line) => {
      logger.info({ stage: 'database' }, line);
    },
  });
  return { url: server.url, release: () => server.release() };
}
