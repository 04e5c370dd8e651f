import { once } from 'node:events';
import { Command } from 'nest-commander';
import { AccessTokens } from '../api/access.js';
import { StoreSyncCommand, type CommonOptions } from './command.js';
import { openRuntimeFor, readConfig } from './runtime.js';
import { messages } from './messages.js';

/** The time limit of a shutdown. Orchestrators usually kill after thirty seconds. */
const STOP_WITHIN_MS = 27_000;

@Command({ name: 'start', description: messages.startDoes })
export class StartCommand extends StoreSyncCommand {
  protected async execute(options: CommonOptions): Promise<number> {
    const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
    const { config, warnings } = readConfig(options.config);
    // Loaded while the embedded database starts.
    const [runtime, { startDaemon }] = await Promise.all([
      openRuntimeFor(config, warnings, 'stdout'),
      import('../daemon.js'),
    ]);
    const { logger } = runtime;
    for (const warning of runtime.warnings) logger.warn(warning);
    try {
      const daemon = await startDaemon(runtime);
      if (!new AccessTokens(config).any) {
        logger.warn(messages.noToken);
      }
      logger.info(
        {
          ...daemon.address,
          ...(daemon.adminAddress === null ? {} : { admin: daemon.adminAddress }),
          stores: Object.keys(config.stores),
          node: process.version,
        },
        messages.isUp,
      );
      await stopped;
      logger.info('stopping');
      setTimeout(() => {
        logger.warn(messages.stopTooLong);
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
