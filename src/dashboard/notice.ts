import { approvalSummary, countApprovals } from '../operations/approval-summary.js';
import type { RowOutcome } from '../operations/paging.js';
import { asSentence } from './elements.js';

const REFUSALS_SHOWN = 3;

/** The outcome of a form for all of its rows, as one notice. */
export function noticeOf(outcomes: readonly RowOutcome[], decision?: string): string {
  const refused = outcomes.filter((outcome) => !outcome.ok);
  const done = outcomes.filter((outcome) => outcome.ok);
  const [only] = outcomes;
  if (only !== undefined && outcomes.length === 1) return asSentence(only.detail);
  if (decision === 'approve') return approvalNotice(outcomes);
  const details = [...new Set(done.map((outcome) => outcome.detail))];
  const good =
    done.length === 0
      ? ''
      : asSentence(`${done.length} done: ${details.slice(0, REFUSALS_SHOWN).join('; ')}`);
  const bad = refused.length === 0 ? '' : asSentence(`${refused.length} refused: ${reasonsOf(refused)}`);
  return [good, bad].filter((part) => part !== '').join(' ');
}

/** The outcome for one text, by the name of its product. */
export function noticeAbout(label: string, { id, detail }: RowOutcome): string {
  const subject = `write-back ${id}`;
  return detail.includes(subject)
    ? asSentence(detail.replace(subject, `‘${label}’`))
    : `${label}: ${detail}.`;
}

/** `12 approved, 1 left: edited by the merchant.` Other refusals follow with their reasons. */
function approvalNotice(outcomes: readonly RowOutcome[]): string {
  const refused = outcomes.filter(({ ok, left }) => !ok && left === undefined);
  const why = refused.length === 0 ? '' : ` ${asSentence(reasonsOf(refused))}`;
  return `${asSentence(approvalSummary(countApprovals(outcomes)))}${why}`;
}

/** The first reasons, and how many more there are. */
function reasonsOf(refused: readonly RowOutcome[]): string {
  const reasons = refused.slice(0, REFUSALS_SHOWN).map(({ detail }) => detail);
  const more = refused.length > REFUSALS_SHOWN ? `, and ${refused.length - REFUSALS_SHOWN} more` : '';
  return `${reasons.join('; ')}${more}`;
}
