/**
 * One queue per stage, each with the name of its jobs (verb and object). The row of a job's id: runs: sync_run ·
 * deliveries: webhook_delivery · write-backs: write_back ·
 * bulk-changes: bulk_change · reconcile: a workspace or store key.
 */
export const QUEUES = {
  runs: 'work run',
  deliveries: 'interpret delivery',
  'write-backs': 'apply write-back',
  'bulk-changes': 'work bulk change',
  reconcile: 'reconcile key',
} as const;

export type QueueName = keyof typeof QUEUES;

export const QUEUE_NAMES = Object.keys(QUEUES) as readonly QueueName[];

/**
 * The prefix of all keys in Redis. The braces are a hash tag: a cluster keeps all keys in one slot, and BullMQ's scripts name several
 * keys.
 */
export const KEY_PREFIX = '{store-sync}';
