import type { Redis } from 'ioredis';
import type pg from 'pg';

/** The storage of the queues (docs/configuration.md). */
export type QueueStorage =
  | { readonly kind: 'postgres'; readonly databaseUrl: string }
  | { readonly kind: 'redis'; readonly redisUrl: string };

export interface OpenOptions {
  /** How long to wait for a storage that does not answer, in milliseconds. */
  readonly waitMs: number;
  /** One line for people, without secrets. */
  readonly log: (line: string) => void;
}

/** Injection token of the `QueueBackend`. */
export const QUEUE_BACKEND = Symbol('QUEUE_BACKEND');

/** The connection that all queues and workers of this process share. */
export interface QueueBackend {
  readonly kind: QueueStorage['kind'];
  readonly connection: pg.Pool | Redis;
  /** Every Queue and Worker that this process creates from now on uses this storage. */
  select(): void;
  /** Resolves when the storage answers; throws `transient` within seconds when it does not. */
  ping(): Promise<void>;
  /** Closes the connections. Close queues and workers first. */
  close(): Promise<void>;
}
