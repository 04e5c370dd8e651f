import { diffArrays } from 'diff';

/** A part of the text that both sides have, or only one of them. */
export interface Stretch {
  readonly side: 'both' | 'before' | 'after';
  readonly text: string;
}

/**
 * Comparing long texts without common words takes quadratic time. Beyond this limit they are shown without a
 * comparison.
 */
const MOST_EDITS = 4000;
const WITHIN_MS = 150;
/** Characters of both texts together. Longer ones are shown without a comparison. */
const MOST_CHARACTERS = 200_000;

/** Scripts that set no space between words: each of their signs counts as a word. */
const SIGN = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`;
/** Line ends, spaces, words of any alphabet, and all other signs one by one. Together the parts are the text. */
const PARTS = new RegExp(String.raw`\r?\n|[^\S\r\n]+|${SIGN}|(?:(?!${SIGN})[\p{L}\p{M}\p{N}_])+|.`, 'gsu');

/** The library's own words are those of Latin letters alone: it would compare Arabic or Greek letter by letter. */
function partsOf(text: string): string[] {
  return text.match(PARTS) ?? [];
}

/**
 * The differences between two texts by words. The parts of either side, in order, are exactly that side's text. Texts
 * that are too different for the limits become one removal and one addition.
 */
export function wordDiff(before: string, after: string): Stretch[] {
  const isShort = before.length + after.length <= MOST_CHARACTERS;
  const options = { maxEditLength: MOST_EDITS, timeout: WITHIN_MS };
  const found = isShort ? diffArrays(partsOf(before), partsOf(after), options) : undefined;
  const changes = found?.map(({ value, removed, added }) => ({ value: value.join(''), removed, added })) ?? [
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
    // A space between two changed words belongs to the change, so that a replaced sentence is one change.
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
