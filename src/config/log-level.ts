import { ConfigError } from './config-error.js';
import type { Environment } from './environment.js';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** LOG_LEVEL, or `info` when it is not set. Throws ConfigError for an unknown level. */
export function logLevel(env: Environment): LogLevel {
  const name = (env['LOG_LEVEL'] ?? '').toLowerCase();
  if (name === '') return 'info';
  const level = LOG_LEVELS.find((known) => known === name);
  if (level !== undefined) return level;
  const problem = {
    key: 'LOG_LEVEL',
    text: `expected one of ${LOG_LEVELS.join(', ')}`,
    source: 'environment',
  };
  throw new ConfigError([problem]);
}
