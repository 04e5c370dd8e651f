/**
 * The places between two steps of a flow where a process may die without losing or repeating anything. Each has a
 * test that dies there (docs/security.md#faults). Named by stage and by what has just been done.
 */
export const KILL_POINTS = [
  'receive.read', // the body is verified, nothing is stored
  'receive.committed', // the inbox holds it, the sender has not heard so
  'receive.acked', // the sender has heard, nobody was enqueued
  'interpret.claimed',
  'interpret.task-ended', // no write-back is intended yet
  'interpret.intended', // the delivery itself is not settled yet
  'interpret.done', // nobody was enqueued to write
  'write-back.taken', // the product is leased, its live values are not read
  'write-back.started', // what will be sent is stored, nothing is sent
  'write-back.written', // the store holds it, the journal does not say so
  'write-back.journaled', // the product is still leased
  'plan.export-started', // the store exports, its handle is not stored
  'plan.handle-stored',
  'plan.planned', // the plan is complete and not committed
  'plan.committed', // nothing is applied
  'apply.started', // the attempt is counted, nothing is sent
  'apply.sent', // the catalog has it, the action does not say so
  'apply.recorded',
  'generate.opened', // the ledger's row exists, nothing was asked for
  'generate.asked', // the service has heard, its task id is not stored
  'generate.answered',
  'run.worked', // everything is done but the run's own end
  'poll.asked', // the task's end is known, the inbox does not hold it
  'poll.stored', // nobody was enqueued
] as const;

export type KillPoint = (typeof KILL_POINTS)[number];

let hook: ((point: KillPoint) => void) | null = null;

/** Inert, unless a test's program has set a hook in its own process. */
export function killPoint(point: KillPoint): void {
  hook?.(point);
}

/** For the fault tests' daemon alone: what happens at the points; null takes it away. */
export function onKillPoint(next: ((point: KillPoint) => void) | null): void {
  hook = next;
}
