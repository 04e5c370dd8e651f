import type { Logger } from '../runtime/logger.js';

/** Stages whose outcomes a command prints as its own answer. */
const ANSWERED = new Set(['webhooks', 'write-back']);

/** A command's log. Warnings of stages whose outcome the command prints anyway become info lines, so that nothing is said twice. */
export function commandLogger(logger: Logger): Logger {
  return variant(logger, {
    child: ({ stage }) => {
      const own = logger.child({ stage });
      return ANSWERED.has(stage) ? withoutWarnings(own) : own;
    },
  });
}

function withoutWarnings(logger: Logger): Logger {
  return variant(logger, {
    warn: (fields, message) => {
      logger.info(fields, message);
    },
    child: (bindings) => withoutWarnings(logger.child(bindings)),
  });
}

/** The same log, with some of its methods replaced. */
function variant(logger: Logger, replaced: Partial<Logger>): Logger {
  return Object.assign(Object.create(logger) as Logger, replaced);
}
