import type { Logger } from '../../src/runtime/logger.js';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

/** A logger that hands each of its lines to `write`, whichever stage writes them. */
export function loggerTo(write: (line: LogLine) => void): Logger {
  const at =
    (level: LogLine['level']) =>
    (fields: object, message: string): void => {
      write({ level, fields, message });
    };
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
  };
  return logger;
}
