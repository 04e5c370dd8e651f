/** Why something needs a person, in the order of importance. */
export const ATTENTION_KINDS = [
  'no_stores',
  'workspace_paused',
  'store_paused',
  'run_failed',
  'credits_out',
  'writes_failed',
  'deliveries_set_aside',
  'deliveries_failed',
  'generations_given_up',
  'no_sources',
  'run_incomplete',
  'never_run',
  'credits_low',
  'slot_taken',
  'api_version_retired',
  'review_waiting',
  'identifiers_withheld',
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** Something that needs a person. */
export interface Attention {
  readonly kind: AttentionKind;
  /** Key of the store or the workspace; null for all of them. */
  readonly of: string | null;
  /** Rows that wait; 1 where nothing is counted. */
  readonly count: number;
  /** The reason that was recorded, for people. */
  readonly detail: string | null;
  /** Id of the run. */
  readonly run: string | null;
}

/** The facts about a store that are judged. */
export interface StoreFacts {
  readonly key: string;
  readonly pause: string | null;
  /** The API version that the store serves in place of the configured one; null while it serves that. */
  readonly servedVersion: string | null;
  readonly lastRun: {
    readonly id: string;
    readonly status: string;
    readonly error: string | null;
    /** Products that the run did not bring in. */
    readonly missing: number;
    /** The run is tried again by itself. */
    readonly isRetried: boolean;
  } | null;
  readonly failedWrites: number;
  readonly withheld: number;
}

export interface WorkspaceFacts {
  readonly key: string;
  readonly pause: string | null;
  readonly slot: { readonly isTaken: boolean; readonly detail: string | null };
  /** Days until no credits are left at the present rate; null while that is unknown. */
  readonly daysLeft: number | null;
  /** One more request would leave fewer credits than `generation.minCreditsRemaining`, as in notifications. */
  readonly isOut: boolean;
}

export interface Totals {
  readonly parked: number;
  readonly failedDeliveries: number;
  readonly givenUp: number;
  /** Products for which the catalog found nothing to read. */
  readonly noSources: number;
  readonly forReview: number;
}

const DAYS_OF_NOTICE = 7;

/** Everything that needs a person, the most important first; empty when all is well. Pure. */
export function attentionOf(
  stores: readonly StoreFacts[],
  workspaces: readonly WorkspaceFacts[],
  totals: Totals,
): Attention[] {
  const found = [
    ...(stores.length === 0 ? [about('no_stores', null)] : []),
    ...workspaces.flatMap(ofWorkspace),
    ...stores.flatMap(ofStore),
    ...counted('deliveries_set_aside', totals.parked),
    ...counted('deliveries_failed', totals.failedDeliveries),
    ...counted('generations_given_up', totals.givenUp),
    ...counted('no_sources', totals.noSources),
    ...counted('review_waiting', totals.forReview),
    ...counted(
      'identifiers_withheld',
      stores.reduce((sum, { withheld }) => sum + withheld, 0),
    ),
  ];
  const rank = (kind: AttentionKind): number => ATTENTION_KINDS.indexOf(kind);
  return found.sort((one, other) => rank(one.kind) - rank(other.kind));
}

/** Everything about one store that needs a person. Pure. */
export function ofStore({ key, pause, servedVersion, lastRun, failedWrites }: StoreFacts): Attention[] {
  const run = lastRun === null ? [about('never_run', key)] : ofRun(key, lastRun);
  return [
    ...(pause === null ? run : [about('store_paused', key, { detail: pause })]),
    ...counted('writes_failed', failedWrites, key),
    ...(servedVersion === null ? [] : [about('api_version_retired', key, { detail: servedVersion })]),
  ];
}

function ofRun(key: string, lastRun: NonNullable<StoreFacts['lastRun']>): Attention[] {
  const { id, status, error, missing, isRetried } = lastRun;
  // A cancelled run failed because a person wanted it.
  if (status === 'failed' && error !== null && !isRetried)
    return [about('run_failed', key, { detail: error, run: id })];
  if (status === 'partial' && missing > 0 && !isRetried)
    return [{ ...about('run_incomplete', key, { detail: error, run: id }), count: missing }];
  return [];
}

function ofWorkspace({ key, pause, slot, daysLeft, isOut }: WorkspaceFacts): Attention[] {
  const isLow = daysLeft !== null && daysLeft <= DAYS_OF_NOTICE;
  const credits = isOut ? [about('credits_out', key)] : isLow ? [about('credits_low', key)] : [];
  return [
    ...(pause === null ? [] : [about('workspace_paused', key, { detail: pause })]),
    ...credits.map((each) => ({ ...each, count: Math.max(0, Math.floor(daysLeft ?? 0)) })),
    ...(slot.isTaken ? [about('slot_taken', key, { detail: slot.detail })] : []),
  ];
}

function counted(kind: AttentionKind, count: number, of: string | null = null): Attention[] {
  return count === 0 ? [] : [{ ...about(kind, of), count }];
}

function about(
  kind: AttentionKind,
  of: string | null,
  rest: Partial<Pick<Attention, 'detail' | 'run'>> = {},
): Attention {
  return { kind, of, count: 1, detail: null, run: null, ...rest };
}
