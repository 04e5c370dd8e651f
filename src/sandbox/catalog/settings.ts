import type { SandboxLogger } from './logger.js';
import { READINGS, type CatalogReadings } from './readings.js';

/** The settings of a sandbox, which Nest injects by this class. Every time is in milliseconds. */
export abstract class SandboxSettings {
  /** PostgreSQL schema of its own; made at start. */
  abstract readonly schema: string;
  abstract readonly host: string;
  /** 0 lets the system pick. */
  abstract readonly port: number;
  abstract readonly clock: () => Date;
  /** Waits between an attempt that failed and the next; its length is the number of retries. */
  abstract readonly retryDelaysMs: readonly number[];
  abstract readonly deliveryTimeoutMs: number;
  /** From the request to the result of a generation. */
  abstract readonly generationDelayMs: number;
  /** From the request to the start of a product model's creation or a CSV upload. */
  abstract readonly backgroundDelayMs: number;
  abstract readonly pageSize: number;
  abstract readonly defaultLocale: string;
  /** Credits a new database starts with; one is consumed by each successful generation. */
  abstract readonly credits: number;
  /** False, as documented: a product-and-event pair is notified only once. True: once per generation. */
  abstract readonly notifyAgain: boolean;
  /** How it reads what the interface specification leaves open. */
  abstract readonly readings: CatalogReadings;
  abstract readonly bodyLimitBytes: number;
  /** How often the workers look for due rows. */
  abstract readonly pollMs: number;
  abstract readonly logger: SandboxLogger;
}

export interface CatalogSandboxOptions extends Partial<Omit<SandboxSettings, 'readings'>> {
  readonly databaseUrl: string;
  readonly readings?: Partial<CatalogReadings>;
}

export const API_PREFIX = '/api/v1';
export const DEFAULT_SCHEMA = 'sandbox_catalog';

/** docs/catalog-rules.md#delivery: up to 5 retries, with backoff at roughly 1 s, 8 s, 60 s, 120 s and 420 s. */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 8_000, 60_000, 120_000, 420_000];

const DEFAULTS: Omit<SandboxSettings, 'readings'> = {
  schema: DEFAULT_SCHEMA,
  host: '127.0.0.1',
  port: 0,
  clock: () => new Date(),
  retryDelaysMs: RETRY_DELAYS_MS,
  deliveryTimeoutMs: 10_000,
  generationDelayMs: 200,
  backgroundDelayMs: 50,
  pageSize: 50,
  defaultLocale: 'en',
  credits: 100_000,
  notifyAgain: false,
  bodyLimitBytes: 10 * 1024 * 1024,
  pollMs: 50,
  logger: { info: () => undefined, error: () => undefined },
};

/** The defaults with `options` laid over them. Throws a ZodError for a reading that is none. */
export function resolveSettings({ readings = {}, ...options }: CatalogSandboxOptions): SandboxSettings {
  return { ...DEFAULTS, ...options, readings: READINGS.parse(readings) };
}
