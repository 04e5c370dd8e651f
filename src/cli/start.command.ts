import { AccessTokens } from '../api/access.js';
import { weakSecrets, weakTokens, type AppConfig } from '../config/index.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { StoreSyncCommand } from './command.js';
import type { CommonOptions } from './options.js';
import type { RunningDaemon } from '../daemon.js';
import { openRuntime, readDaemonConfig, type Runtime } from './runtime.js';

/** The time limit of a shutdown. Orchestrators usually kill after thirty seconds. */
const STOP_WITHIN_MS = 27_000;

interface StartOptions extends CommonOptions {
  readonly roles?: string;
}

export class StartCommand extends StoreSyncCommand<StartOptions> {
  override readonly options = [
    {
      flags: '--roles <roles>',
      description: 'what this process does: receive, work, admin, separated by commas; default: server.roles',
    },
  ];

  protected async execute(options: StartOptions): Promise<number> {
    const stopped = firstStopSignal();
    const reloads = new ReloadSignals();
    const loaded = readDaemonConfig(options.config, options.roles);
    const { config } = loaded;
    const tooShort = weakTokens(config).filter(({ weakness }) => weakness === 'short');
    if (tooShort.length > 0)
      throw new CodedError('misconfigured', tooShort.map(({ text }) => text).join('; '));
    // Loaded while the embedded database starts.
    const [runtime, { startDaemon }] = await Promise.all([
      openRuntime(loaded, 'stdout'),
      import('../daemon.js'),
    ]);
    const { logger } = runtime;
    for (const warning of [...runtime.warnings, ...weakSecrets(config).map(({ text }) => text)])
      logger.warn(warning);
    try {
      const daemon = await startDaemon(runtime);
      logger.info(
        {
          ...daemon.address,
          ...(daemon.adminAddress === null ? {} : { admin: daemon.adminAddress }),
          roles: config.server.roles,
          stores: Object.keys(config.stores),
          ...(config.storesDir === undefined ? {} : { storesDir: config.storesDir }),
          ...(config.secretsDir === undefined ? {} : { secretsDir: config.secretsDir }),
          node: process.version,
        },
        'store-sync is up',
      );
      // At the end of the output, where a person looks.
      if (config.server.roles.includes('admin') && !new AccessTokens(config).any)
        logger.warn('server.adminToken and server.tokens are not set: the API and the dashboard are off');
      if (!hasStores(config))
        logger.warn(
          'no store is configured, so nothing is synced: `store-sync init` asks for what is needed',
        );
      reloads.follow(() => {
        reload(daemon, logger);
      });
      await stopped;
      reloads.ignore();
      logger.info('stopping');
      setTimeout(() => {
        logger.warn('the shutdown timed out: the next start resumes the remaining work');
        process.exit(0);
      }, STOP_WITHIN_MS).unref();
      await daemon.stop();
    } finally {
      await runtime.release();
    }
    logger.info('stopped');
    return 0;
  }
}

/** Whether a store is configured, or may come while the process runs. */
function hasStores({ stores, storesDir, storeTemplate }: AppConfig): boolean {
  return Object.keys(stores).length > 0 || storesDir !== undefined || storeTemplate !== undefined;
}

/**
 * Resolves with the first SIGTERM or SIGINT. Later ones change nothing: a stop that is cut off leaves an embedded database running,
 * and the stop has a limit on its time.
 */
function firstStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'])
      process.on(signal, () => {
        resolve();
      });
  });
}

/** SIGHUP, which ends a process that does not listen to it. One that comes during the start is obeyed once the daemon is up. */
class ReloadSignals {
  #wasAsked = false;
  #obey = (): void => {
    this.#wasAsked = true;
  };

  constructor() {
    process.on('SIGHUP', () => {
      this.#obey();
    });
  }

  follow(obey: () => void): void {
    this.#obey = obey;
    if (this.#wasAsked) obey();
  }

  /** The daemon stops. */
  ignore(): void {
    this.#obey = () => undefined;
  }
}

/** Takes changes of the configuration files. A refusal is logged, and the daemon works on as before. */
function reload(daemon: RunningDaemon, logger: Runtime['logger']): void {
  try {
    daemon.reload();
  } catch (error) {
    logger.error(
      { err: errorLine(error) },
      'the changed configuration is not used; the one before stays in force',
    );
  }
}
