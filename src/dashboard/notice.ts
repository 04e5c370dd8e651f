import type { RowOutcome } from '../operations/paging.js';

const REFUSALS_SHOWN = 3;

/** The outcome of a form for all of its rows, as one notice. */
export function noticeOf(outcomes: readonly RowOutcome[]): string {
  const refused = outcomes.filter((outcome) => !outcome.ok);
  const done = outcomes.filter((outcome) => outcome.ok);
  const [only] = outcomes;
  if (only !== undefined && outcomes.length === 1) return sentence(only.detail);
  const details = [...new Set(done.map((outcome) => outcome.detail))];
  const good =
    done.length === 0 ? '' : sentence(`${done.length} done: ${details.slice(0, REFUSALS_SHOWN).join('; ')}`);
  const reasons = refused.slice(0, REFUSALS_SHOWN).map((outcome) => outcome.detail);
  const more = refused.length > REFUSALS_SHOWN ? `, and ${refused.length - REFUSALS_SHOWN} more` : '';
  const bad = refused.length === 0 ? '' : sentence(`${refused.length} refused: ${reasons.join('; ')}${more}`);
  return [good, bad].filter((part) => part !== '').join(' ');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
