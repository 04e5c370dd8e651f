import { diffWordsWithSpace } from 'diff';

/** A stretch of text that both sides have, or one of them alone. */
export interface Stretch {
  readonly side: 'both' | 'before' | 'after';
  readonly text: string;
}

/** Two long texts without a word in common take time quadratic in their length: past this they are shown as they are. */
const MOST_EDITS = 4000;
const WITHIN_MS = 150;

/**
 * Word by word what became of a text: the stretches of either side, in order, are that side to the letter. Texts too different to
 * compare within the bounds are one removal and one addition.
 */
export function wordDiff(before: string, after: string): Stretch[] {
  const changes = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS, timeout: WITHIN_MS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const stretches: Stretch[] = [];
  let [removed, added] = ['', ''];
  const endRun = (): void => {
    if (removed !== '') stretches.push({ side: 'before', text: removed });
    if (added !== '') stretches.push({ side: 'after', text: added });
    [removed, added] = ['', ''];
  };
  changes.forEach((change, index) => {
    // A space between two changed words belongs to the change: a sentence that was replaced reads as one.
    const bridge = index < changes.length - 1 && removed + added !== '' && change.value.trim() === '';
    if (change.removed) removed += change.value;
    else if (change.added) added += change.value;
    else if (bridge) {
      removed += change.value;
      added += change.value;
    } else {
      endRun();
      stretches.push({ side: 'both', text: change.value });
    }
  });
  endRun();
  return stretches;
}
