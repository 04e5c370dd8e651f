import { openPostgresBackend } from './postgres-backend.js';
import type { OpenOptions, QueueBackend, QueueStorage } from './queue-backend.js';
import { openRedisBackend } from './redis-backend.js';

/**
 * Waits for the storage and prepares it. Must come before any Queue or Worker: one that is constructed while its
 * database is down never recovers. Throws `transient` after `waitMs`, `misconfigured` at once for errors that waiting
 * does not fix.
 */
export async function openQueueBackend(storage: QueueStorage, options: OpenOptions): Promise<QueueBackend> {
  return storage.kind === 'postgres'
    ? await openPostgresBackend(storage.databaseUrl, options)
    : await openRedisBackend(storage.redisUrl, options);
}
