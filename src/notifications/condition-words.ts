import { counted } from '../domain/text.js';
import { z } from 'zod';
import type { Condition } from './conditions.js';

/** Facts that a message may name. Each kind of condition has its own. */
export const factsSchema = z
  .object({
    runId: z.uuid(),
    code: z.string(),
    retried: z.boolean(),
    count: z.number(),
    remaining: z.number(),
    minimum: z.number(),
    each: z.number(),
  })
  .partial();
export type Facts = z.output<typeof factsSchema>;

/** The sentences about one condition. `subject` is the key of a store or workspace. */
export interface ConditionWords {
  /** The condition, as announced when it begins. */
  readonly begins: (subject: string, facts: Facts) => string;
  /** What to do about it. */
  readonly todo: (subject: string, facts: Facts) => string;
  readonly ends: (subject: string) => string;
  /** The dashboard's page about it, as a path. The overview where there is none. */
  readonly page?: (facts: Facts) => string;
}

interface Cause {
  readonly why: string;
  readonly todo: string;
}

/** Why a run failed, by error code. */
const CAUSES: ReadonlyMap<string, Cause> = new Map(
  Object.entries({
    auth: {
      why: 'credentials were refused',
      todo: 'run store-sync check to see which; replace the token or login',
    },
    throttled: { why: 'a service asked for fewer requests', todo: 'investigate if it continues for hours' },
    transient: {
      why: 'a service could not be reached, or its answer was invalid',
      todo: 'investigate if it continues for hours',
    },
    unavailable: {
      why: 'the shop is frozen, locked, moved or gone',
      todo: 'see store-sync status for the reason; the shop’s owner has to act',
    },
    misconfigured: {
      why: 'a setting is invalid, or the other side has changed',
      todo: 'see store-sync status for the reason, and fix the setting',
    },
    limit: {
      why: 'a limit stopped it before anything was applied',
      todo: 'see its plan; if the change is intended, run it without the limits, by its page or store-sync sync --force',
    },
  }),
);
const OTHER_CAUSE: Cause = {
  why: 'a request was refused',
  todo: 'see store-sync status for the reason',
};

/** The words for a condition that this release does not know: a newer one recorded it. */
export function unknownCondition(kind: string): ConditionWords {
  return {
    begins: (subject) => `${subject}: ${kind}`,
    todo: () => 'see store-sync status',
    ends: (subject) => `${subject}: ${kind} has ended`,
  };
}

const runPage = ({ runId }: Facts): string => (runId === undefined ? '/' : `/runs/${runId}`);

export const CONDITION_WORDS: Readonly<Record<Condition, ConditionWords>> = {
  run_failed: {
    begins: (store, facts) => `the sync of store ${store} failed: ${causeOf(facts).why}`,
    todo: (_store, facts) =>
      facts.retried === true ? `it is retried automatically: ${causeOf(facts).todo}` : causeOf(facts).todo,
    ends: (store) => `the sync of store ${store} works again`,
    page: runPage,
  },
  products_refused: {
    begins: (store) => `the sync of store ${store} ended, but the catalog refused some products`,
    todo: () => 'see the run’s page for the reasons, and fix the products in the store',
    ends: (store) => `the sync of store ${store} includes all products again`,
    page: runPage,
  },
  write_backs_failed: {
    begins: (store, { count }) => `${counted(count ?? 0, 'write-back')} to store ${store} failed permanently`,
    todo: () => 'see store-sync write-backs list --state failed; approve them to retry, or reject them',
    ends: (store) => `store ${store} has no failed write-backs`,
    page: () => '/journal',
  },
  store_paused: {
    begins: (store, { code }) =>
      code === 'write_access_missing'
        ? `store ${store} denies writing: its write-backs wait`
        : code === 'shop_unavailable'
          ? `store ${store} is paused: its shop is frozen, locked, moved or gone`
          : `store ${store} is paused: it refused the credentials`,
    todo: (store) =>
      `restore the app’s access in the shop or its token here, then run store-sync retry --store ${store}`,
    ends: (store) => `store ${store} works again`,
  },
  workspace_paused: {
    begins: (workspace) => `workspace ${workspace} is paused: the catalog refused the credentials`,
    todo: () => 'fix the token, the login or the subscription; the workspace then resumes automatically',
    ends: (workspace) => `workspace ${workspace} works again`,
  },
  slot_taken: {
    begins: (workspace) => `the webhook slot of workspace ${workspace} has the address of another system`,
    todo: (workspace) =>
      `agree on one receiver, then run store-sync webhook register --force --workspace ${workspace}; until then, results arrive by polling`,
    ends: (workspace) =>
      `the webhook slot of workspace ${workspace} no longer has the address of another system`,
  },
  credits_low: {
    begins: (workspace, { remaining, minimum, each }) => {
      const cost = each === undefined ? '' : `, a result costs ${String(Number(each.toFixed(2)))}`;
      return `workspace ${workspace} has ${String(remaining ?? 'few')} credits left (generation.minCreditsRemaining is ${String(minimum ?? 'not known')}${cost})`;
    },
    todo: () => 'add credits, or lower generation.minCreditsRemaining',
    ends: (workspace) => `workspace ${workspace} has credits again`,
  },
  deliveries_set_aside: {
    begins: (workspace, { count }) =>
      `${counted(count ?? 0, 'delivery', 'deliveries')} of workspace ${workspace} ${count === 1 ? 'was' : 'were'} parked for a person`,
    todo: () => 'see store-sync deliveries list for the reasons; replay them once the cause is fixed',
    ends: (workspace) => `workspace ${workspace} has no parked deliveries`,
    page: () => '/deliveries',
  },
};

function causeOf(facts: Facts): Cause {
  return CAUSES.get(facts.code ?? '') ?? OTHER_CAUSE;
}
