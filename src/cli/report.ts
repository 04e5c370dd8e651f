import { environment } from '../config/environment.js';
import { errorLine } from '../domain/errors.js';

/** One line on stderr for an error; with LOG_LEVEL=debug its stack. */
export function report(error: unknown): void {
  const stack = error instanceof Error && environment()['LOG_LEVEL'] === 'debug' ? error.stack : undefined;
  process.stderr.write(`${stack ?? `store-sync: ${errorLine(error)}`}\n`);
}
