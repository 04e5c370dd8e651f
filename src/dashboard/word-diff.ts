import { diffArrays } from 'diff';

/** A part of the text that both sides have, or only one of them. */
export interface Stretch {
  readonly side: 'both' | 'before' | 'after';
  readonly text: string;
}

/**
 * The time of a comparison grows with the square of the edits: this many take some tenths of a second. Texts that need more are shown
 * without a comparison. A limit of time would show other differences on a busy machine.
 */
const MOST_EDITS = 2000;
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
  const found = isShort
    ? diffArrays(partsOf(before), partsOf(after), { maxEditLength: MOST_EDITS })
    : undefined;
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
