import type {
  Observation,
  StandingFacts,
  StoreFacts,
  WorkspaceFacts,
} from '../persistence/notification.repository.js';
import { isOutOfCredits } from '../planner/credit-room.js';

/** The conditions that cause notifications. Each is announced when it begins and when it ends. */
export const CONDITIONS = [
  'run_failed', // the store's newest run failed
  'products_refused', // the newest run ended without some products
  'write_backs_failed',
  'store_paused',
  'workspace_paused',
  'slot_taken',
  'credits_low',
  'deliveries_set_aside',
] as const;

export type Condition = (typeof CONDITIONS)[number];

export interface Brakes {
  /** `generation.minCreditsRemaining` of each workspace. */
  readonly minCredits: ReadonlyMap<string, number>;
}

/**
 * Which conditions hold according to the rows; pure. A condition without evidence (no run has ended yet, the slot was
 * not read, no credits were reported) is omitted and keeps its state.
 */
export function judge(facts: StandingFacts, brakes: Brakes): Observation[] {
  return [
    ...facts.stores.flatMap(ofStore),
    ...facts.workspaces.flatMap((workspace) =>
      ofWorkspace(workspace, brakes.minCredits.get(workspace.workspace)),
    ),
  ];
}

function ofStore(store: StoreFacts): Observation[] {
  const seen = observer(store.store);
  return [
    ...(isPausesDoing(store) ? [] : ofRuns(store)),
    seen('store_paused', store.pausedCode !== null, store.pausedSince, { code: store.pausedCode }),
    seen('write_backs_failed', store.failedWriteBacks > 0, null, { count: store.failedWriteBacks }),
  ];
}

/** A pause is reported as a condition of its own, so the runs that fail because of it are not reported too. */
function isPausesDoing({ pausedCode, errorCode }: StoreFacts): boolean {
  return (
    pausedCode !== null && (errorCode === 'auth' || errorCode === 'unavailable' || errorCode === 'throttled')
  );
}

/** A run that a fault ended says nothing about refused products. A run that reached its end says both. */
function ofRuns(store: StoreFacts): Observation[] {
  const { runId, state, errorCode, endedAt, retried } = store;
  // A run that a person cancelled says nothing about the store.
  if (runId === null || errorCode === 'cancelled') return [];
  const seen = observer(store.store);
  const failed = seen('run_failed', true, endedAt, { runId, code: errorCode ?? 'unknown', retried });
  const fine = { ...failed, holds: false };
  if (state === 'succeeded')
    return [fine, seen('products_refused', false, endedAt, { runId, code: errorCode, retried })];
  if (state !== 'failed' && errorCode === 'invalid')
    return [fine, seen('products_refused', true, endedAt, { runId, retried })];
  return [failed];
}

function ofWorkspace(workspace: WorkspaceFacts, minCredits: number | undefined): Observation[] {
  const { paused, webhookState, webhookCheckedAt, creditsRemaining, creditsAt, creditsEach, setAside } =
    workspace;
  const seen = observer(workspace.workspace);
  const found = [
    seen('workspace_paused', paused, null, {}),
    seen('deliveries_set_aside', setAside > 0, null, { count: setAside }),
  ];
  if (webhookState !== null && webhookState !== 'unknown')
    found.push(seen('slot_taken', webhookState === 'foreign', webhookCheckedAt, {}));
  if (creditsRemaining !== null && minCredits !== undefined)
    found.push(
      seen(
        'credits_low',
        isOutOfCredits({ remaining: creditsRemaining, minimum: minCredits, each: creditsEach }),
        creditsAt,
        {
          remaining: creditsRemaining,
          minimum: minCredits,
          ...(creditsEach === null ? {} : { each: creditsEach }),
        },
      ),
    );
  return found;
}

function observer(subject: string) {
  return (
    kind: Condition,
    holds: boolean,
    since: Date | null,
    facts: Readonly<Record<string, unknown>>,
  ): Observation => ({ kind, subject, holds, since, facts });
}
