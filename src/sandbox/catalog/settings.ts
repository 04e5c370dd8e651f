import type { SandboxLogger } from './logger.js';
import { resolveReadings, type CatalogReadings } from './readings.js';
import { withoutTrailing } from '../text.js';

/** The settings of a sandbox. Every time is in milliseconds; every default stands here. */
export interface CatalogSandboxOptions {
  readonly databaseUrl: string;
  /** PostgreSQL schema of its own; made and migrated at start. */
  readonly schema?: string;
  readonly host?: string;
  /** 0 lets the system pick. */
  readonly port?: number;
  /** Origin under which clients reach the sandbox, without path; by default the address it listens on. */
  readonly publicUrl?: string;
  readonly clock?: () => Date;
  /** Waits between an attempt that failed and the next; its length is the number of retries. */
  readonly retryDelaysMs?: readonly number[];
  readonly deliveryTimeoutMs?: number;
  /** From the request to the result of a generation. */
  readonly generationDelayMs?: number;
  /** From the request to the start of a product model's creation or a CSV upload. */
  readonly backgroundDelayMs?: number;
  readonly pageSize?: number;
  readonly defaultLocale?: string;
  /** Credits a new database starts with; one is consumed by each successful generation. */
  readonly credits?: number;
  /** False, as documented: a product-and-event pair is notified only once. True: once per generation. */
  readonly notifyAgain?: boolean;
  /** False: a retry carries the timestamp of the delivery's first attempt. True: each attempt has its own timestamp. */
  readonly restampRetries?: boolean;
  /** How it reads what the interface specification leaves open. */
  readonly readings?: Partial<CatalogReadings>;
  readonly bodyLimitBytes?: number;
  /** How often the workers look for due rows without a signal. */
  readonly pollMs?: number;
  readonly logger?: SandboxLogger;
}

export interface SandboxSettings {
  readonly schema: string;
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | undefined;
  readonly clock: () => Date;
  readonly retryDelaysMs: readonly number[];
  readonly deliveryTimeoutMs: number;
  readonly generationDelayMs: number;
  readonly backgroundDelayMs: number;
  readonly pageSize: number;
  readonly defaultLocale: string;
  readonly credits: number;
  readonly notifyAgain: boolean;
  readonly restampRetries: boolean;
  readonly readings: CatalogReadings;
  readonly bodyLimitBytes: number;
  readonly pollMs: number;
  readonly logger: SandboxLogger;
}

export const DEFAULT_SCHEMA = 'sandbox_catalog';

/** docs/catalog-rules.md#delivery: up to 5 retries, with backoff at roughly 1 s, 8 s, 60 s, 120 s and 420 s. */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 8_000, 60_000, 120_000, 420_000];

const SILENT: SandboxLogger = { info: () => undefined, error: () => undefined };

export function resolveSettings(options: CatalogSandboxOptions): SandboxSettings {
  return {
    schema: options.schema ?? DEFAULT_SCHEMA,
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    publicUrl: options.publicUrl === undefined ? undefined : withoutTrailing(options.publicUrl, '/'),
    clock: options.clock ?? (() => new Date()),
    retryDelaysMs: options.retryDelaysMs ?? RETRY_DELAYS_MS,
    deliveryTimeoutMs: options.deliveryTimeoutMs ?? 10_000,
    generationDelayMs: options.generationDelayMs ?? 200,
    backgroundDelayMs: options.backgroundDelayMs ?? 50,
    pageSize: options.pageSize ?? 50,
    defaultLocale: options.defaultLocale ?? 'en',
    credits: options.credits ?? 100_000,
    notifyAgain: options.notifyAgain ?? false,
    restampRetries: options.restampRetries ?? false,
    readings: resolveReadings(options.readings),
    bodyLimitBytes: options.bodyLimitBytes ?? 10 * 1024 * 1024,
    pollMs: options.pollMs ?? 500,
    logger: options.logger ?? SILENT,
  };
}
