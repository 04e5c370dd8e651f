import { z } from 'zod';
import type { NotificationEntity } from '../persistence/entities/notification.entity.js';
import type { Condition } from './conditions.js';
import { withoutTrailing } from '../domain/text.js';

type Row = Pick<NotificationEntity, 'kind' | 'subject' | 'facts' | 'since' | 'endedAt'>;

/** What a row keeps for its message. It was written by an earlier release perhaps: what is missing is passed over. */
const factsSchema = z.object({
  runId: z.uuid().optional().catch(undefined),
  code: z.string().optional().catch(undefined),
  retried: z.boolean().optional().catch(undefined),
  count: z.number().optional().catch(undefined),
  remaining: z.number().optional().catch(undefined),
  minimum: z.number().optional().catch(undefined),
});
type Facts = z.output<typeof factsSchema>;

interface Words {
  /** What holds, as it is said when it begins. */
  readonly begun: (subject: string, facts: Facts) => string;
  /** What to do about it. */
  readonly todo: (subject: string, facts: Facts) => string;
  readonly ended: (subject: string) => string;
  /** Page of the dashboard, as a path. */
  readonly page: (facts: Facts) => string;
}

/**
 * The message of a change, for people: what, where, since when, what to do, and the dashboard's page when its address is
 * known. It is made of our own words, keys of the configuration, numbers and times: no text that a service, a store or a
 * person wrote gets into it, so that it can hold neither a secret nor a product's text.
 */
export function messageOf(row: Row, tells: 'begun' | 'ended', publicUrl: string | undefined): string {
  const words = wordsOf(row.kind);
  const facts = factsSchema.parse(row.facts);
  const link = publicUrl === undefined ? [] : [`${withoutTrailing(publicUrl, '/')}${words.page(facts)}`];
  if (tells === 'ended') {
    const lasted = `(it had been so since ${minute(row.since)})`;
    return [`store-sync: ${words.ended(row.subject)}, since ${minute(row.endedAt)} ${lasted}`, ...link].join(
      '\n',
    );
  }
  return [
    `store-sync: ${words.begun(row.subject, facts)}, since ${minute(row.since)}`,
    `What to do: ${words.todo(row.subject, facts)}`,
    ...link,
  ].join('\n');
}

function minute(date: Date | null): string {
  return date === null ? 'an unknown time' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function wordsOf(kind: string): Words {
  return WORDS.get(kind) ?? unknownWords(kind);
}

/** Of a condition that another release recorded. */
function unknownWords(kind: string): Words {
  return {
    begun: (subject) => `${subject}: ${kind}`,
    todo: () => 'see store-sync status',
    ended: (subject) => `${subject}: ${kind} is over`,
    page: () => '/',
  };
}

const CAUSES: ReadonlyMap<string, { readonly why: string; readonly todo: string }> = new Map(
  Object.entries({
    auth: {
      why: 'credentials were refused',
      todo: 'store-sync check says whose; mend the token or login',
    },
    throttled: { why: 'it was asked to wait', todo: 'look into it if it goes on for hours' },
    transient: {
      why: 'a side could not be reached or did not answer as it should',
      todo: 'look into it if it goes on for hours',
    },
    misconfigured: {
      why: 'a limit stopped it, or a setting cannot work',
      todo: 'store-sync status shows which; mend it, or store-sync sync --force where the change is meant',
    },
  }),
);
const OTHER_CAUSE = { why: 'a request was refused', todo: 'store-sync status shows the reason' };

function causeOf(facts: Facts): { readonly why: string; readonly todo: string } {
  return CAUSES.get(facts.code ?? '') ?? OTHER_CAUSE;
}

function plural(count: number | undefined, one: string, many: string): string {
  if (count === undefined) return many;
  return `${String(count)} ${count === 1 ? one : many}`;
}

const ALL: Readonly<Record<Condition, Words>> = {
  run_failed: {
    begun: (store, facts) => `the sync of store ${store} failed: ${causeOf(facts).why}`,
    todo: (_store, facts) =>
      facts.retried === true ? `it is tried again by itself: ${causeOf(facts).todo}` : causeOf(facts).todo,
    ended: (store) => `the sync of store ${store} works again`,
    page: runPage,
  },
  products_refused: {
    begun: (store) => `the sync of store ${store} ended without some products, which the catalog refused`,
    todo: () =>
      'store-sync status shows the first reason, the run’s page all; mend the products in the store',
    ended: (store) => `the sync of store ${store} ends with all products again`,
    page: runPage,
  },
  write_backs_failed: {
    begun: (store, { count }) =>
      `${plural(count, 'write-back', 'write-backs')} to store ${store} failed and will not be tried again`,
    todo: () => 'store-sync write-backs list --state failed shows why; approve to try again, or reject',
    ended: (store) => `no failed write-back to store ${store} is left`,
    page: () => '/journal',
  },
  workspace_paused: {
    begun: (workspace) => `workspace ${workspace} is paused: the catalog refused the credentials`,
    todo: () => 'mend the token, the login or the subscription; it resumes by itself',
    ended: (workspace) => `workspace ${workspace} works again`,
    page: () => '/',
  },
  slot_taken: {
    begun: (workspace) => `the webhook slot of workspace ${workspace} holds somebody else’s address`,
    todo: (workspace) =>
      `agree on one receiver, then store-sync webhook register --force for workspace ${workspace}; meanwhile results come by polling`,
    ended: (workspace) => `the webhook slot of workspace ${workspace} is no longer somebody else’s`,
    page: () => '/',
  },
  credits_low: {
    begun: (workspace, { remaining, minimum }) =>
      `workspace ${workspace} has ${String(remaining ?? 'few')} credits left (generation.minCreditsRemaining is ${String(minimum ?? 'not known')})`,
    todo: () => 'add credits, or lower generation.minCreditsRemaining',
    ended: (workspace) => `workspace ${workspace} has credits again`,
    page: () => '/',
  },
  deliveries_set_aside: {
    begun: (workspace, { count }) =>
      `${plural(count, 'delivery', 'deliveries')} of workspace ${workspace} ${count === 1 ? 'was' : 'were'} set aside for a person`,
    todo: () => 'store-sync deliveries list shows them with the reason; replay them once it is mended',
    ended: (workspace) => `no delivery of workspace ${workspace} is set aside any more`,
    page: () => '/deliveries',
  },
};

const WORDS: ReadonlyMap<string, Words> = new Map(Object.entries(ALL));

function runPage({ runId }: Facts): string {
  return runId === undefined ? '/' : `/runs/${runId}`;
}
