import type { Redis } from 'ioredis';
import type pg from 'pg';

/** Where the queues live (docs/configuration.md). */
export type QueueStorage =
  | { readonly kind: 'postgres'; readonly databaseUrl: string }
  | { readonly kind: 'redis'; readonly redisUrl: string };

export interface OpenOptions {
  /** How long to wait for a storage that is not there (yet), in milliseconds. */
  readonly waitMs: number;
  /** One line for people, without secrets. */
  readonly log: (line: string) => void;
}

/** The connection that all queues and workers of this process share. */
export interface QueueBackend {
  readonly kind: QueueStorage['kind'];
  readonly connection: pg.Pool | Redis;
  /** Makes every Queue and Worker that is constructed from now on in this process use this kind of storage. */
  select(): void;
  /** Resolves when the storage answers; throws `transient` within seconds when it does not. */
  ping(): Promise<void>;
  /** Ends the connections; queues and workers come first. */
  close(): Promise<void>;
}
