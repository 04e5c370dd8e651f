/** What the stages say of rows as they move: ids, states and codes. Never a product's text, which people read in the rows. */
export interface RowLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** For a command, whose own lines are its answer. */
export const SILENT_LOG: RowLog = { info: () => undefined, warn: () => undefined };
