import type { AppConfig } from './schema.js';

/** Injection token of the validated configuration, an `AppConfig`. */
export const APP_CONFIG = Symbol('APP_CONFIG');

/** The part of the configuration that says where others reach this process. */
export interface PublicAddress {
  readonly server: Pick<AppConfig['server'], 'publicUrl'>;
}

/** The part of the configuration that says where people reach the dashboard. */
export interface DashboardAddress {
  readonly server: Pick<AppConfig['server'], 'publicUrl' | 'admin'>;
}

/** Where people reach the dashboard; undefined where it has a port of its own, whose address no setting names. */
export function dashboardUrl({ server }: DashboardAddress): string | undefined {
  return server.admin.port === 0 ? server.publicUrl : undefined;
}
