import type { JournalField } from '../domain/write-back-journal.js';
import { isOurs, valueHash, type WrittenContent } from '../domain/written-content.js';

export interface PlannedRevert {
  /** The journal after the revert. */
  readonly fields: readonly JournalField[];
  /** Fields whose before-image must be written. */
  readonly restore: readonly JournalField[];
  /** The targets that hold their before-image afterwards. */
  readonly restored: ReadonlySet<string>;
}

/**
 * Decides field by field what a revert does (docs/decisions/0012-merchant-edits-win.md): a before-image is restored where the store
 * still holds what was written, and every other field is left as it is. `current` returns the live value of a target; `written` is
 * our written content of the product: it distinguishes a later text of ours from an edit. `unread` returns why a value could not be
 * read: such a value is not known to be empty, so its field is left as it is. `isReplaced`: a later write-back wrote the live value, perhaps
 * the same text, which is that one's to revert.
 */
export function planRevert(
  journal: readonly JournalField[],
  current: (target: string) => string | null,
  written: WrittenContent,
  unread: (target: string) => string | null = () => null,
  isReplaced: (target: string) => boolean = () => false,
): PlannedRevert {
  const candidates = journal.filter(
    ({ outcome, target }) => outcome === 'written' && unread(target) === null && !isReplaced(target),
  );
  const holds = (field: JournalField, value: string | null): boolean =>
    valueHash(current(field.target)) === valueHash(value);
  const restore = candidates.filter((field) => holds(field, field.after));
  // An interrupted revert, or the merchant, has put these back already: they are journalled without a write.
  const back = candidates.filter((field) => !restore.includes(field) && holds(field, field.before));
  const restored = new Set([...restore, ...back].map((field) => field.target));
  const fields = journal.map((field): JournalField => {
    if (field.outcome !== 'written') return field;
    if (restored.has(field.target))
      return { ...field, outcome: 'reverted', reason: 'the previous value was restored' };
    const problem = unread(field.target);
    if (problem !== null)
      return { ...field, outcome: 'not_ours', reason: `left alone: it cannot be read (${problem})` };
    const reason = isReplaced(field.target)
      ? REPLACED
      : leftReason(current(field.target), written[field.target]);
    return { ...field, outcome: 'not_ours', reason };
  });
  return { fields, restore, restored };
}

const REPLACED = 'left alone: a later write-back replaced it';

function leftReason(live: string | null, written: WrittenContent[string] | undefined): string {
  if (live === null || live === '') return 'left alone: the store no longer has a value there';
  if (written !== undefined && isOurs(live, written)) return REPLACED;
  return 'left alone: somebody edited it after it was written';
}
