import type { Logger } from '../runtime/logger.js';

/** Stages whose outcomes a command prints as its own answer. */
const ANSWERED = new Set(['webhooks', 'write-back']);

/** A command's log. Warnings of stages whose outcome the command prints anyway become info lines, so that nothing is said twice. */
export function commandLogger(logger: Logger): Logger {
  return {
    debug: (fields, message) => {
      logger.debug(fields, message);
    },
    info: (fields, message) => {
      logger.info(fields, message);
    },
    warn: (fields, message) => {
      logger.warn(fields, message);
    },
    error: (fields, message) => {
      logger.error(fields, message);
    },
    child: ({ stage }) => {
      const own = logger.child({ stage });
      return ANSWERED.has(stage) ? withoutWarnings(own) : own;
    },
  };
}

function withoutWarnings(logger: Logger): Logger {
  const info: Logger['info'] = (fields, message) => {
    logger.info(fields, message);
  };
  return {
    debug: (fields, message) => {
      logger.debug(fields, message);
    },
    info,
    warn: info,
    error: (fields, message) => {
      logger.error(fields, message);
    },
    child: (bindings) => withoutWarnings(logger.child(bindings)),
  };
}
