/**
 * The legal states of rows as data (docs/decisions/0001-rows-before-queues.md). A row moves by a guarded UPDATE from
 * one of the states in `from`. Terminal states follow from this table.
 */
export const RUN_TRANSITIONS = {
  // A plan for review, or a dry run. It becomes a run when a person applies it.
  planning: ['planned', 'not_planned'],
  planned: ['queued'],
  not_planned: [],
  queued: ['running', 'failed'],
  running: ['queued', 'succeeded', 'partial', 'failed'],
  // Reconcile queues again what a temporary fault ended. A creation in the catalog's background may end after the run did.
  partial: ['queued', 'succeeded'],
  failed: ['queued'],
  succeeded: [],
} as const;

export const ACTION_TRANSITIONS = {
  // Its run is still being planned. Only the plan reads it.
  draft: ['planned', 'failed', 'dropped'],
  // Nothing was left to send once its identity was settled. The end of the plan removes it.
  dropped: [],
  planned: ['applied', 'failed', 'superseded'],
  failed: ['planned', 'applied', 'superseded'],
  // A creation that the catalog accepted may still fail in the background.
  applied: ['failed'],
  superseded: [],
} as const;

export const TASK_TRANSITIONS = {
  requested: ['succeeded', 'failed', 'no_urls', 'abandoned'],
  // A late result is still a result.
  abandoned: ['succeeded', 'failed', 'no_urls'],
  succeeded: [],
  failed: [],
  no_urls: [],
} as const;

export const DELIVERY_TRANSITIONS = {
  received: ['processed', 'parked', 'failed'],
  parked: ['received', 'processed'],
  failed: ['received'],
  processed: ['received'],
} as const;

export const WRITE_BACK_TRANSITIONS = {
  pending_review: ['ready', 'rejected', 'skipped'],
  // A gate holds a text back before anything of it is sent.
  ready: ['applied', 'skipped', 'conflicted', 'failed', 'pending_review'],
  conflicted: ['ready', 'rejected'],
  failed: ['ready', 'rejected'],
  applied: ['reverted'],
  skipped: [],
  // A person undoes the rejection.
  rejected: ['pending_review'],
  reverted: [],
} as const;

export const BULK_CHANGE_TRANSITIONS = {
  queued: ['running', 'cancelled'],
  // A store that does not answer puts the rest off.
  running: ['queued', 'done', 'failed', 'cancelled'],
  done: [],
  failed: [],
  cancelled: [],
} as const;

export const LINK_STATES = ['linked', 'pending', 'conflicted', 'orphaned'] as const;

/** The states of what is a plan, and not yet a run. */
export const PLAN_STATES = ['planning', 'planned', 'not_planned'] as const;

export type RunState = keyof typeof RUN_TRANSITIONS;
export type ActionState = keyof typeof ACTION_TRANSITIONS;
export type TaskState = keyof typeof TASK_TRANSITIONS;
export type DeliveryState = keyof typeof DELIVERY_TRANSITIONS;
export type WriteBackState = keyof typeof WRITE_BACK_TRANSITIONS;
export type BulkChangeState = keyof typeof BULK_CHANGE_TRANSITIONS;
export type LinkState = (typeof LINK_STATES)[number];

/** The states from which a row may move to `to`. */
export function statesBefore<T extends Readonly<Record<string, readonly string[]>>>(
  transitions: T,
  to: string,
): (keyof T & string)[] {
  return Object.entries(transitions)
    .filter(([, next]) => next.includes(to))
    .map(([from]) => from);
}
