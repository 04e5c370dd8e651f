import { z } from 'zod';
import type { NotificationEntity } from '../persistence/entities/notification.entity.js';
import { withoutTrailing } from '../domain/text.js';
import { CONDITION_WORDS, factsSchema, unknownCondition } from './condition-words.js';
import { CONDITIONS } from './conditions.js';

type Row = Pick<NotificationEntity, 'kind' | 'subject' | 'facts' | 'since' | 'endedAt'>;

const conditionSchema = z.enum(CONDITIONS);

/**
 * The message about a change, for people: the condition, the place, the time, what to do, and a link to the dashboard
 * if its address is known. It consists only of our own words, configuration keys, numbers and times. So it contains
 * no secrets and no product texts.
 */
export function messageOf(row: Row, phase: 'begun' | 'ended', dashboardUrl: string | undefined): string {
  const kind = conditionSchema.safeParse(row.kind).data;
  const words = kind === undefined ? unknownCondition(row.kind) : CONDITION_WORDS[kind];
  // Facts of another form are left out: one message must not hold up the others.
  const facts = factsSchema.safeParse(row.facts).data ?? {};
  const lines =
    phase === 'ended'
      ? [
          `store-sync: ${words.ends(row.subject)}, since ${minute(row.endedAt)} (the condition began ${minute(row.since)})`,
        ]
      : [
          `store-sync: ${words.begins(row.subject, facts)}, since ${minute(row.since)}`,
          `What to do: ${words.todo(row.subject, facts)}`,
        ];
  if (dashboardUrl !== undefined)
    lines.push(`${withoutTrailing(dashboardUrl, '/')}${words.page?.(facts) ?? '/'}`);
  return lines.join('\n');
}

function minute(date: Date | null): string {
  return date === null ? 'an unknown time' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
