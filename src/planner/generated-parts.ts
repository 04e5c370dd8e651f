import type { IntendedValue } from '../domain/write-back-journal.js';
import { IMAGE_ALTS, tagTarget } from '../domain/write-target.js';
import { isMissing } from './placeholders.js';
import { clippedText, sanitisePlainText } from './html-content.js';
import { storableText } from '../domain/text.js';

/** The store's limits: characters of a tag, tags of a product, characters of an alternative text. */
const LONGEST_TAG = 255;
const MOST_TAGS = 250;
const LONGEST_ALT = 512;

/** The type of a list of alternative texts: the first is for the first image. */
export const ALT_LIST = 'list.single_line_text_field';

/**
 * Tags to add, each as a value of its own, so that one that the merchant removes stays removed. A list has one tag in
 * each entry. A comma separates tags in the store, so a text with commas is several tags.
 */
export function tagsOf(raw: unknown, from: string, refusal: string | null): IntendedValue[] {
  if (refusal !== null) return [withheldPart(tagTarget(''), from, refusal)];
  const source = typeof raw === 'string' ? raw : null;
  const byTarget = new Map<string, IntendedValue>();
  for (const text of textsOf(raw).flatMap((each) => each.split(','))) {
    const tag = clippedText(sanitisePlainText(storableText(text)), LONGEST_TAG);
    const target = tagTarget(tag);
    if (isMissing(tag) || byTarget.has(target) || byTarget.size === MOST_TAGS) continue;
    byTarget.set(target, { target, value: tag, type: null, from, raw: source });
  }
  return [...byTarget.values()];
}

/** One alternative text for every image, or a list with one text for each image in order. */
export function imageAlts(raw: unknown, from: string, refusal: string | null): IntendedValue[] {
  if (refusal !== null) return [withheldPart(IMAGE_ALTS, from, refusal)];
  const texts = altTexts(raw);
  if (texts.every((text) => text === '')) return [];
  const common = { target: IMAGE_ALTS, from };
  return [
    typeof raw === 'string'
      ? { ...common, value: texts[0] ?? '', type: null, raw }
      : { ...common, value: JSON.stringify(texts), type: ALT_LIST, raw: null },
  ];
}

/** The alternative texts of a list, in the order of the images; null for one text that is meant for every image. */
export function altList({ value, type }: Pick<IntendedValue, 'value' | 'type'>): string[] | null {
  if (type !== ALT_LIST) return null;
  return (JSON.parse(value) as unknown[]).map((text) => (typeof text === 'string' ? text : ''));
}

/** An entry that is no text keeps its place, so that the following texts stay with their images. */
function altTexts(raw: unknown): string[] {
  const entries: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  return entries
    .slice(0, MOST_TAGS)
    .map((entry) =>
      typeof entry === 'string' ? clippedText(sanitisePlainText(storableText(entry)), LONGEST_ALT) : '',
    )
    .map((text) => (isMissing(text) ? '' : text));
}

function textsOf(raw: unknown): string[] {
  const entries: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  return entries.filter((entry) => typeof entry === 'string');
}

function withheldPart(target: string, from: string, withheld: string): IntendedValue {
  return { target, value: '', type: null, from, raw: null, withheld };
}
