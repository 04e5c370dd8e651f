import { parseExactJson } from '../domain/exact-json.js';
import { fingerprint } from '../domain/fingerprint.js';
import type { NewMetafieldDefinition } from '../domain/metafield-definition.js';
import { metafieldTarget, SHORT_DESCRIPTION_PLACE } from '../domain/metafield-key.js';
import { isStoreField } from '../domain/store-port.js';
import type { IntendedValue, SentValue } from '../domain/write-back-journal.js';
import { isTag, placeOfTarget, translationTarget } from '../domain/write-target.js';
import { valueHash, type WrittenContent, type WrittenField } from '../domain/written-content.js';
import { reducedHtml } from './html/document.js';
import { isMeasureKind, measureOf } from './measures.js';

export type FieldVerdict =
  'write' | 'written_before' | 'same' | 'conflict' | 'not_generated' | 'untranslatable' | 'unfit';

/** The decision about one field, with its reason. */
export interface FieldDecision extends IntendedValue {
  readonly verdict: FieldVerdict;
  readonly reason: string;
  /** The live value at the decision: the before-image. */
  readonly before: string | null;
  /** The store's token that guards the replacement; null where there was no value, or the store has none. */
  readonly token: string | null;
  /** The definition to create before the metafield is written. Absent when there is one, or none is wanted. */
  readonly defines?: NewMetafieldDefinition;
  /** The intended target that this is a part of. Absent when it is the intended target itself. */
  readonly partOf?: string;
}

export interface Ruling {
  readonly verdict: FieldVerdict;
  readonly reason: string;
}

/** Facts about a write-back and its product besides the live values. */
export interface KnownContent {
  /** Hashes of the live values when this result's source was read; empty when unknown. */
  readonly seen: Readonly<Record<string, string>>;
  readonly written: WrittenContent;
  /** The hash of each catalog field as we pushed it. A field that returns unchanged was not generated. */
  readonly pushedValues: Readonly<Record<string, string>>;
  readonly onConflict: 'skip' | 'overwrite';
  /** A person approved this write-back, so the live value was seen and released. */
  readonly released: boolean;
  /** Hashes of the values that were released, by target; null: any value. */
  readonly releasedValues?: Readonly<Record<string, string>> | null;
  /** The values that an earlier, interrupted attempt of this write-back may have written, by target. */
  readonly sentBefore: Readonly<Record<string, SentValue>>;
}

/** The verdict about a value in its final form, compared with the live one. */
export function verdict(value: IntendedValue, current: string | null, context: KnownContent): Ruling {
  if (wasSent(value, current, context)) {
    const isEdited = value.version !== undefined && context.sentBefore[value.target]?.value !== value.value;
    return isEdited && !sameContent(value, current)
      ? { verdict: 'write', reason: 'edited after an earlier attempt had written it' }
      : { verdict: 'written_before', reason: 'written by an earlier attempt that was cut off' };
  }
  if (sameContent(value, current)) return { verdict: 'same', reason: 'the store already says this' };
  if (isSource(value, context)) {
    return {
      verdict: 'not_generated',
      reason: 'the catalog returns the store’s own text: nothing was generated',
    };
  }
  const edit = merchantEdit(value, current, context.written[value.target], context.seen);
  if (edit === null) return { verdict: 'write', reason: 'generated' };
  const isSeen =
    context.releasedValues == null || context.releasedValues[value.target] === valueHash(current);
  if (context.released && isSeen) return { verdict: 'write', reason: `approved, although ${edit}` };
  if (context.onConflict === 'overwrite')
    return { verdict: 'write', reason: `overwritten by configuration, although ${edit}` };
  return { verdict: 'conflict', reason: edit };
}

/** True when an earlier attempt of this write-back left the live value. */
export function wasSent(value: IntendedValue, current: string | null, context: KnownContent): boolean {
  const sent = context.sentBefore[value.target];
  return sent !== undefined && sameContent({ ...value, value: sent.value }, current);
}

/** What the field held before this write-back wrote to it, now or in an earlier attempt. */
export function beforeImage(decision: FieldDecision, sent: KnownContent['sentBefore']): string | null {
  const earlier = sent[decision.target];
  return earlier !== undefined && sameContent({ ...decision, value: earlier.value }, decision.before)
    ? earlier.before
    : decision.before;
}

/** True when the result only returns the merchant's own text, as pushed or as replaced by ours. */
function isSource(value: IntendedValue, context: KnownContent): boolean {
  if (value.raw === null) return false;
  const hash = valueHash(value.raw);
  if (context.pushedValues[value.from] === hash) return true;
  const { locale } = placeOfTarget(value.target);
  if (locale !== null && context.pushedValues[translationTarget(locale, value.from)] === hash) return true;
  return sameContent({ ...value, value: value.raw }, context.written[value.target]?.replaced ?? null);
}

/** The evidence of a merchant's edit in the live value, for people; null when there is none. */
function merchantEdit(
  value: IntendedValue,
  current: string | null,
  written: WrittenField | undefined,
  seenFields: KnownContent['seen'],
): string | null {
  const hash = valueHash(current);
  const seen = seenFields[value.target];
  if (placeOfTarget(value.target).locale !== null) {
    // An existing translation that is not ours was written by a person or another app. It stays, although it is a source.
    if (current === null || (written?.ours != null && hash === written.ours)) return null;
    return written?.ours == null
      ? 'somebody else keeps a translation there'
      : 'somebody changed the translation after we wrote it';
  }
  if (written?.ours != null) return hash === written.ours ? null : 'the merchant edited it after we wrote it';
  if (seen !== undefined) return hash === seen ? null : 'the merchant edited it after it was read';
  // We never wrote the field and never read it, so only an empty metafield may be written. The same holds for a field
  // that the release did not read yet that read the others.
  const wasOtherRead = Object.keys(seenFields).length > 0;
  if (current === null && (wasOtherRead || !isStoreField(value.target))) return null;
  return isStoreField(value.target)
    ? 'what it held when the content was asked for is not known'
    : 'somebody else keeps a value there';
}

/** True when the live value has the intended content, even if the store spells it differently. */
export function sameContent(value: IntendedValue, current: string | null): boolean {
  if (current === null) return false;
  // The live value of a tag is its spelling in the store, and the store ignores the letter case.
  if (current === value.value || isTag(value.target)) return true;
  if (HTML_TEXTS.has(placeOfTarget(value.target).base))
    return reducedHtml(current) === reducedHtml(value.value);
  if (value.type === 'json' || value.type?.startsWith('list.') === true)
    return sameJson(current, value.value);
  if (value.type?.startsWith('number_') === true) return Number(current) === Number(value.value);
  if (value.type === 'date_time') return instantOf(current) === instantOf(value.value);
  if (JSON_TYPES.has(value.type ?? '')) return sameJson(current, value.value);
  if (value.type === null || !isMeasureKind(value.type)) return false;
  const held = measureOf(value.type, current);
  // Two texts that are no measures differ, unless they are the same text.
  return held !== null && held.size === measureOf(value.type, value.value)?.size;
}

/** Texts that stores keep as HTML. */
const HTML_TEXTS: ReadonlySet<string> = new Set([
  'descriptionHtml',
  metafieldTarget(SHORT_DESCRIPTION_PLACE),
]);
/** Types whose values the store may spell otherwise: members in another order, or numbers as texts. */
const JSON_TYPES: ReadonlySet<string> = new Set(['rich_text_field', 'money', 'link', 'rating']);

function sameJson(left: string, right: string): boolean {
  try {
    return fingerprint(parseExactJson(left)) === fingerprint(parseExactJson(right));
  } catch {
    // One of the values is not JSON, so they differ.
    return false;
  }
}

/** A time in whole seconds. A text without a zone is UTC, as in the store. NaN, which equals nothing, for a text that is no time. */
function instantOf(text: string): number {
  return Math.floor(Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`) / 1000);
}
