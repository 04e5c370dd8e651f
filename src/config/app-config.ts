import type { AppConfig } from './schema.js';

/** Injection token of the validated configuration, an `AppConfig`. */
export const APP_CONFIG = Symbol('APP_CONFIG');

/** The part of the configuration that says where others reach this process. */
export interface PublicAddress {
  readonly server: Pick<AppConfig['server'], 'publicUrl'>;
}
