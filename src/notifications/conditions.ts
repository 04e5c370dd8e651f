import type {
  Observation,
  StandingFacts,
  StoreFacts,
  WorkspaceFacts,
} from '../persistence/notification.repository.js';

/** What people are told of. Each has a beginning and an end, and is told at both. */
export const CONDITIONS = [
  'run_failed', // the store's newest run did not get to its end
  'products_refused', // it did, without some products
  'write_backs_failed',
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
 * Which conditions hold, as far as the rows tell; pure. A condition about which they say nothing (no run has ended yet, the
 * slot could not be read, no credits were ever reported) is left out: it stays as it was.
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
    ...ofRuns(store),
    seen('write_backs_failed', store.failedWriteBacks > 0, null, { count: store.failedWriteBacks }),
  ];
}

/** A run that a fault cut off says nothing of refused products; one that got to its end says both. */
function ofRuns(store: StoreFacts): Observation[] {
  const { runId, state, errorCode, endedAt, retried } = store;
  if (runId === null) return [];
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
  const { paused, webhookState, webhookCheckedAt, creditsRemaining, creditsAt, setAside } = workspace;
  const seen = observer(workspace.workspace);
  const found = [
    seen('workspace_paused', paused, null, {}),
    seen('deliveries_set_aside', setAside > 0, null, { count: setAside }),
  ];
  if (webhookState !== null && webhookState !== 'unknown')
    found.push(seen('slot_taken', webhookState === 'foreign', webhookCheckedAt, {}));
  if (creditsRemaining !== null && minCredits !== undefined)
    found.push(
      seen('credits_low', creditsRemaining <= minCredits, creditsAt, {
        remaining: creditsRemaining,
        minimum: minCredits,
      }),
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
