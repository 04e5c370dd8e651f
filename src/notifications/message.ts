import { z } from 'zod';
import type { NotificationEntity } from '../persistence/entities/notification.entity.js';
import type { Condition } from './conditions.js';
import { withoutTrailing } from '../domain/text.js';
import { CONDITION_WORDS, unknownCondition, type ConditionWords } from './condition-words.js';

type Row = Pick<NotificationEntity, 'kind' | 'subject' | 'facts' | 'since' | 'endedAt'>;

/** The facts of a row for its message. Each kind of condition has its own, so all are optional. */
const factsSchema = z.object({
  runId: z.uuid().optional().catch(undefined),
  code: z.string().optional().catch(undefined),
  retried: z.boolean().optional().catch(undefined),
  count: z.number().optional().catch(undefined),
  remaining: z.number().optional().catch(undefined),
  minimum: z.number().optional().catch(undefined),
});
type FactsOfRow = z.output<typeof factsSchema>;

/** The dashboard's page about a condition, as a path. */
const PAGES: Readonly<Record<Condition, (facts: FactsOfRow) => string>> = {
  run_failed: runPage,
  products_refused: runPage,
  write_backs_failed: () => '/journal',
  store_paused: overview,
  workspace_paused: overview,
  slot_taken: overview,
  credits_low: overview,
  deliveries_set_aside: () => '/deliveries',
};
const WORDS: ReadonlyMap<string, ConditionWords> = new Map(Object.entries(CONDITION_WORDS));
const PAGE_OF: ReadonlyMap<string, (facts: FactsOfRow) => string> = new Map(Object.entries(PAGES));

/**
 * The message about a change, for people: the condition, the place, the time, what to do, and a link to the dashboard
 * if its address is known. It consists only of our own words, configuration keys, numbers and times. So it contains
 * no secrets and no product texts.
 */
export function messageOf(row: Row, phase: 'begun' | 'ended', dashboardUrl: string | undefined): string {
  const words = WORDS.get(row.kind) ?? unknownCondition(row.kind);
  const facts = factsSchema.parse(row.facts);
  const page = (PAGE_OF.get(row.kind) ?? overview)(facts);
  const lines =
    phase === 'ended'
      ? [
          `store-sync: ${words.ends(row.subject)}, since ${minute(row.endedAt)} (the condition began ${minute(row.since)})`,
        ]
      : [
          `store-sync: ${words.begins(row.subject, facts)}, since ${minute(row.since)}`,
          `What to do: ${words.todo(row.subject, facts)}`,
        ];
  if (dashboardUrl !== undefined) lines.push(`${withoutTrailing(dashboardUrl, '/')}${page}`);
  return lines.join('\n');
}

function minute(date: Date | null): string {
  return date === null ? 'an unknown time' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function overview(): string {
  return '/';
}

function runPage({ runId }: FactsOfRow): string {
  return runId === undefined ? '/' : `/runs/${runId}`;
}
