export { createLogger, createLoggerOptions } from './logger-options.js';
export type { LoggerSettings } from './logger-options.js';
export { redactSecrets } from './redaction.js';
