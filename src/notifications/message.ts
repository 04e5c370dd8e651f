import { z } from 'zod';
import type { NotificationEntity } from '../persistence/entities/notification.entity.js';
import type { Condition } from './conditions.js';
import { withoutTrailing } from '../domain/text.js';

type Row = Pick<NotificationEntity, 'kind' | 'subject' | 'facts' | 'since' | 'endedAt'>;

/** The facts of a row for its message. An earlier release may have written it, so missing facts are ignored. */
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
  /** The condition, as announced when it begins. */
  readonly begun: (subject: string, facts: Facts) => string;
  /** What to do about it. */
  readonly todo: (subject: string, facts: Facts) => string;
  readonly ended: (subject: string) => string;
  /** Page of the dashboard, as a path. */
  readonly page: (facts: Facts) => string;
}

/**
 * The message about a change, for people: the condition, the place, the time, what to do, and a link to the dashboard
 * if its address is known. It consists only of our own words, configuration keys, numbers and times. So it contains
 * no secrets and no product texts.
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

/** The words for a condition that another release recorded. */
function unknownWords(kind: string): Words {
  return {
    begun: (subject) => `${subject}: ${kind}`,
    todo: () => 'see store-sync status',
    ended: (subject) => `${subject}: ${kind} has ended`,
    page: () => '/',
  };
}

const CAUSES: ReadonlyMap<string, { readonly why: string; readonly todo: string }> = new Map(
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
    misconfigured: {
      why: 'a limit stopped it, or a setting is invalid',
      todo: 'see store-sync status; fix the setting, or run store-sync sync --force if the change is intended',
    },
  }),
);
const OTHER_CAUSE = { why: 'a request was refused', todo: 'see store-sync status for the reason' };

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
      facts.retried === true ? `it is retried automatically: ${causeOf(facts).todo}` : causeOf(facts).todo,
    ended: (store) => `the sync of store ${store} works again`,
    page: runPage,
  },
  products_refused: {
    begun: (store) => `the sync of store ${store} ended, but the catalog refused some products`,
    todo: () => 'see the run’s page for the reasons, and fix the products in the store',
    ended: (store) => `the sync of store ${store} includes all products again`,
    page: runPage,
  },
  write_backs_failed: {
    begun: (store, { count }) =>
      `${plural(count, 'write-back', 'write-backs')} to store ${store} failed permanently`,
    todo: () => 'see store-sync write-backs list --state failed; approve them to retry, or reject them',
    ended: (store) => `store ${store} has no failed write-backs`,
    page: () => '/journal',
  },
  store_paused: {
    begun: (store, { code }) =>
      code === 'write_access_missing'
        ? `store ${store} denies writing: its write-backs wait`
        : `store ${store} is paused: it refused the credentials`,
    todo: (store) =>
      `restore the app’s access in the shop or its token here, then store-sync retry --store ${store}; other stores go on`,
    ended: (store) => `store ${store} works again`,
    page: () => '/',
  },
  workspace_paused: {
    begun: (workspace) => `workspace ${workspace} is paused: the catalog refused the credentials`,
    todo: () => 'fix the token, the login or the subscription; the workspace then resumes automatically',
    ended: (workspace) => `workspace ${workspace} works again`,
    page: () => '/',
  },
  slot_taken: {
    begun: (workspace) => `the webhook slot of workspace ${workspace} has the address of another system`,
    todo: () =>
      'agree on one receiver, then run store-sync webhook register --force; until then, results arrive by polling',
    ended: (workspace) =>
      `the webhook slot of workspace ${workspace} no longer has the address of another system`,
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
      `${plural(count, 'delivery', 'deliveries')} of workspace ${workspace} ${count === 1 ? 'was' : 'were'} parked for a person`,
    todo: () => 'see store-sync deliveries list for the reasons; replay them once the cause is fixed',
    ended: (workspace) => `workspace ${workspace} has no parked deliveries`,
    page: () => '/deliveries',
  },
};

const WORDS: ReadonlyMap<string, Words> = new Map(Object.entries(ALL));

function runPage({ runId }: Facts): string {
  return runId === undefined ? '/' : `/runs/${runId}`;
}
