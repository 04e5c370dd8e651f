/**
 * Where a class writes its log lines: ids, states and codes. A line never holds a product's text: people read that in the rows.
 * Pino's own logger is one.
 */
export abstract class Logger {
  abstract debug(fields: object, message: string): void;
  abstract info(fields: object, message: string): void;
  abstract warn(fields: object, message: string): void;
  abstract error(fields: object, message: string): void;
  /** The same log; every line also names the stage that wrote it. */
  abstract child(bindings: { readonly stage: string }): Logger;
}

export const SILENT_LOGGER: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => SILENT_LOGGER,
};
