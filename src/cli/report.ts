import { environment } from '../config/environment.js';
import { errorLine } from '../domain/errors.js';
import { harmless } from './terminal.js';

/** One line on stderr for an error; with LOG_LEVEL=debug its stack. Does not throw: an unknown level is an error itself. */
export function reportError(error: unknown): void {
  const level = environment()['LOG_LEVEL']?.toLowerCase();
  const stack = error instanceof Error && (level === 'debug' || level === 'trace') ? error.stack : undefined;
  if (stack === undefined) reportFailure(errorLine(error));
  else process.stderr.write(`${harmless(stack)}\n`);
}

/** Why a command could not do what it was asked, as one line on stderr. */
export function reportFailure(reason: string): void {
  process.stderr.write(`store-sync: ${harmless(reason)}\n`);
}
