import { metafieldTarget, placeInTarget } from '../domain/metafield-key.js';
import type { NewMetafieldDefinition } from '../domain/metafield-definition.js';
import { parseExactJson } from '../domain/exact-json.js';
import { fingerprint } from '../domain/fingerprint.js';
import { liveImages, type LiveMetafield, type LiveProduct } from '../domain/store-port.js';
import {
  IMAGE_ALTS,
  imageAltTarget,
  isTag,
  placeOfTarget,
  translationTarget,
} from '../domain/write-target.js';
import {
  afterWrite,
  effectiveValue,
  valueHash,
  type WrittenContent,
  type WrittenField,
} from '../domain/written-content.js';
import type { IntendedValue, SentValue } from '../domain/write-back-journal.js';
import { isStoreField, sanitisedFor } from './generated-content.js';
import { allowanceOf, hasAllowance, reducedHtml } from './html-content.js';
import { removedMedia, withKeptMedia, type KeepableElement } from './kept-media.js';
import { decidedCategory, type CategoriesView } from './decided-category.js';
import { definedValue, type DefinedValue, type DefinitionsView } from './defined-value.js';
import { altAt } from './generated-parts.js';
import { ownValue } from './live-value.js';
import { isMeasureKind, measureOf } from './measures.js';
import { TRANSLATED_TYPES, type LiveByLocale } from './translations.js';

export type FieldVerdict =
  'write' | 'written_before' | 'same' | 'conflict' | 'not_generated' | 'untranslatable' | 'unfit';

/** The decision about one field, with its reason. */
export interface FieldDecision extends IntendedValue {
  readonly verdict: FieldVerdict;
  readonly reason: string;
  /** The live value at the decision: the before-image. */
  readonly before: string | null;
  /** The digest that guards the replacement of a metafield; null where there was no value. */
  readonly digest: string | null;
  /** The definition to create before the metafield is written. Absent when there is one, or none is wanted. */
  readonly defines?: NewMetafieldDefinition;
  /** The intended target that this is a part of. Absent when it is the intended target itself. */
  readonly partOf?: string;
}

export interface WriteBackContext {
  /** Hashes of the live values when this result's source was read; empty when unknown. */
  readonly seen: Readonly<Record<string, string>>;
  readonly written: WrittenContent;
  /** The hash of each catalog field as we pushed it. A field that returns unchanged was not generated. */
  readonly pushedValues: Readonly<Record<string, string>>;
  readonly onConflict: 'skip' | 'overwrite';
  /** A person approved this write-back, so the live value was seen and released. */
  readonly released: boolean;
  /** The values that an earlier, interrupted attempt of this write-back may have written, by target. */
  readonly sentBefore: Readonly<Record<string, SentValue>>;
  /** Targets for which a newer result of the product, or of one of its variants, has a value. */
  readonly newerTargets: ReadonlySet<string>;
  /** Elements of the merchant's description that stay after a generated one. */
  readonly keep: readonly KeepableElement[];
  /** The merchant's definitions of the intended metafields. */
  readonly definitions: DefinitionsView;
  /** The categories of the store that the intended texts name. */
  readonly categories: CategoriesView;
  /** The current translations of every intended locale. */
  readonly translations: LiveByLocale;
}

interface Ruling {
  readonly verdict: FieldVerdict;
  readonly reason: string;
}

/**
 * Decides for each field what a generation result may do to the live product
 * (docs/decisions/0012-merchant-edits-win.md). A value that equals neither the value at planning nor our last write
 * was edited by the merchant, and `onConflict` decides. A field that the merchant changed after our write stays the
 * merchant's, even after a later run has read and pushed the edit. An approval, `overwrite`, or restoring our text
 * releases it.
 */
export function decideFields(
  intended: readonly IntendedValue[],
  live: LiveProduct,
  context: WriteBackContext,
): FieldDecision[] {
  const own = intended
    .filter((value) => placeOfTarget(value.target).locale === null)
    .map((value) => [value, decideOwn(value, live, context)] as const);
  const decided = new Map(own);
  const byTarget = new Map(own.flatMap(([, decisions]) => decisions.map((each) => [each.target, each])));
  return intended.flatMap((value) => decided.get(value) ?? decideTranslation(value, byTarget, context));
}

/** The decision about a value, or one about each part of the product that it goes to. */
function decideOwn(
  value: IntendedValue,
  live: LiveProduct,
  context: WriteBackContext,
): readonly FieldDecision[] {
  return value.target === IMAGE_ALTS && value.withheld === undefined
    ? decideAlts(value, live, context)
    : [decideField(value, live, context)];
}

/** An alternative text is written only where there is none, or where the present one is ours. */
function decideAlts(value: IntendedValue, live: LiveProduct, context: WriteBackContext): FieldDecision[] {
  const decided = liveImages(live).flatMap(({ id, alt }, place): FieldDecision[] => {
    const target = imageAltTarget(id);
    const text = altAt(value, place);
    if (text === '') return [];
    const own = { ...value, target, value: text, type: null, partOf: value.target };
    const found = { before: alt, digest: null };
    return effectiveValue(alt, context.written[target]) === null || wasSent(own, alt, context)
      ? [{ ...own, ...found, ...verdict(own, alt, context) }]
      : [{ ...own, ...found, verdict: 'same', reason: 'the image has an alternative text, which stays' }];
  });
  if (decided.length > 0) return decided;
  const none = { before: null, digest: null, reason: 'the product has no image for it' };
  return [{ ...value, ...none, verdict: 'unfit' }];
}

function decideField(value: IntendedValue, live: LiveProduct, context: WriteBackContext): FieldDecision {
  const metafield = metafieldAt(live, value.target);
  const current = metafield === undefined ? ownValue(value.target, live) : metafield.value;
  const found = { before: current, digest: metafield?.digest ?? null };
  if (value.withheld !== undefined)
    return { ...value, ...found, verdict: 'not_generated', reason: value.withheld };
  if (context.newerTargets.has(value.target))
    return { ...value, ...found, verdict: 'unfit', reason: 'a newer result has a value for it' };
  const meant = meantValue(value, { current, type: metafield?.type ?? null, live }, context);
  if ('unfit' in meant) return { ...value, ...found, verdict: 'unfit', reason: meant.unfit };
  const decided = {
    ...meant.value,
    ...found,
    ...withLoss(verdict(meant.value, current, context), meant.value, current, context),
  };
  return decided.verdict === 'write' && meant.defines !== undefined
    ? { ...decided, defines: meant.defines }
    : decided;
}

interface Present {
  readonly current: string | null;
  /** The type of a metafield. */
  readonly type: string | null;
  readonly live: LiveProduct;
}

/** The value in the form that its place takes, or the reason why it has no place. */
function meantValue(value: IntendedValue, present: Present, context: WriteBackContext): DefinedValue {
  const { target } = value;
  if (target === 'category') return decidedCategory(value, context.categories);
  if (isStoreField(target)) return { value: withMedia(value, present.current, context) };
  const place = placeInTarget(target);
  if (place === null) return { value };
  if (place.variant !== undefined && present.live.variants?.includes(place.variant) !== true)
    return { unfit: 'the variant no longer exists' };
  return definedValue(value, present.type, context.definitions);
}

/**
 * A description may have what the merchant's own one has already, and is followed by what the merchant had in it and
 * keeps.
 */
function withMedia(value: IntendedValue, current: string | null, context: WriteBackContext): IntendedValue {
  if (value.target !== 'descriptionHtml') return value;
  const merchants = effectiveValue(current, context.written[value.target]);
  const allowance = allowanceOf(merchants);
  // A person's text has no raw text.
  const isKnown = value.raw !== null && hasAllowance(allowance);
  const generated = isKnown ? sanitisedFor(value.target, value.raw, allowance) : value.value;
  return { ...value, value: withKeptMedia(generated, merchants, context.keep) };
}

/**
 * A translation belongs to the text that the store will show, so it is held back where the merchant keeps another
 * text. The text may be created by this same write-back, so a missing text does not prevent the translation.
 */
function decideTranslation(
  value: IntendedValue,
  own: ReadonlyMap<string, FieldDecision>,
  context: WriteBackContext,
): FieldDecision {
  const { locale, base } = placeOfTarget(value.target);
  const live = context.translations.get(locale ?? '');
  const before = live?.texts.get(base)?.value ?? null;
  const decided = (ruling: Ruling): FieldDecision => ({ ...value, ...ruling, before, digest: null });
  if (value.withheld !== undefined) return decided({ verdict: 'not_generated', reason: value.withheld });
  if (live === undefined)
    return decided({ verdict: 'untranslatable', reason: 'the store’s translations are not known' });
  if (live.problem !== null) return decided({ verdict: 'untranslatable', reason: live.problem });
  if (live.never.includes(base))
    return decided({ verdict: 'untranslatable', reason: 'the store does not translate this field' });
  const ruling = verdict(value, before, context);
  if (ruling.verdict !== 'write') return decided(ruling);
  const original = own.get(base);
  if (original?.type != null && !TRANSLATED_TYPES.includes(original.type))
    return decided({ verdict: 'untranslatable', reason: `the store holds it as ${original.type}` });
  if (original?.verdict === 'conflict')
    return decided({
      verdict: 'conflict',
      reason: `it translates a text that is not written: ${original.reason}`,
    });
  if (!live.texts.has(base) && original?.verdict !== 'write')
    return decided({
      verdict: 'untranslatable',
      reason: 'the store holds no text there that it could translate',
    });
  return decided(ruling);
}

function verdict(value: IntendedValue, current: string | null, context: WriteBackContext): Ruling {
  if (wasSent(value, current, context)) {
    return { verdict: 'written_before', reason: 'written by an earlier attempt that was cut off' };
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
  if (context.released) return { verdict: 'write', reason: `approved, although ${edit}` };
  if (context.onConflict === 'overwrite')
    return { verdict: 'write', reason: `overwritten by configuration, although ${edit}` };
  return { verdict: 'conflict', reason: edit };
}

/** The reason of a write also says which media of the merchant it removes. */
function withLoss(
  ruling: Ruling,
  { target, value }: IntendedValue,
  current: string | null,
  { written }: WriteBackContext,
): Ruling {
  if (target !== 'descriptionHtml' || ruling.verdict !== 'write') return ruling;
  const lost = removedMedia(value, effectiveValue(current, written[target]));
  return lost === null ? ruling : { ...ruling, reason: `${ruling.reason}; ${lost}` };
}

/** True when an earlier attempt of this write-back left the live value. */
function wasSent(value: IntendedValue, current: string | null, context: WriteBackContext): boolean {
  const sent = context.sentBefore[value.target];
  return sent !== undefined && sameContent({ ...value, value: sent.value }, current);
}

/** True when the result only returns the merchant's own text, as pushed or as replaced by ours. */
function isSource(value: IntendedValue, context: WriteBackContext): boolean {
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
  seenFields: WriteBackContext['seen'],
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
function sameContent(value: IntendedValue, current: string | null): boolean {
  if (current === null) return false;
  // The live value of a tag is its spelling in the store, and the store ignores the letter case.
  if (current === value.value || isTag(value.target)) return true;
  if (placeOfTarget(value.target).base === 'descriptionHtml')
    return reducedHtml(current) === reducedHtml(value.value);
  if (value.type === 'json' || value.type?.startsWith('list.') === true)
    return sameJson(current, value.value);
  if (value.type?.startsWith('number_') === true) return Number(current) === Number(value.value);
  if (JSON_TYPES.has(value.type ?? '')) return sameJson(current, value.value);
  if (value.type === null || !isMeasureKind(value.type)) return false;
  const held = measureOf(value.type, current);
  // Two texts that are no measures differ, unless they are the same text.
  return held !== null && held.size === measureOf(value.type, value.value)?.size;
}

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

function metafieldAt(live: LiveProduct, target: string): LiveMetafield | undefined {
  return live.metafields.find((field) => metafieldTarget(field) === target);
}

/**
 * Identifies the content of a write-back, so that the same content is applied only once
 * (docs/decisions/0001-rows-before-queues.md). Translations follow after a `+`, so that a result without translations
 * is recognised later.
 */
export function contentFingerprint(intended: readonly IntendedValue[]): string {
  const meant = intended
    .filter((value) => value.withheld === undefined)
    .sort((left, right) => (left.target < right.target ? -1 : 1));
  const of = (values: readonly IntendedValue[]): string =>
    fingerprint(values.map(({ target, value, type }) => [target, type, value]));
  const isTranslation = ({ target }: IntendedValue): boolean => placeOfTarget(target).locale !== null;
  const translations = meant.filter(isTranslation);
  const own = of(meant.filter((value) => !isTranslation(value)));
  return translations.length === 0 ? own : `${own}+${of(translations)}`;
}

/**
 * The written content of a product, including values that earlier write-backs sent and then recorded as failed,
 * oldest first. A write that timed out may have reached the store, and then its value is ours and not the merchant's.
 * `current` returns the live value of a target.
 */
export function withLandedWrites(
  written: WrittenContent,
  failed: readonly Readonly<Record<string, SentValue>>[],
  current: (target: string) => string | null,
): WrittenContent {
  let known = written;
  for (const [target, sent] of failed.flatMap((each) => Object.entries(each))) {
    const live = current(target);
    const previous = known[target];
    if (live === null || previous?.ours === valueHash(live)) continue;
    const value = { target, value: sent.value, type: null, from: '', raw: null };
    if (!sameContent(value, live)) continue;
    known = { ...known, [target]: afterWrite(previous, live, effectiveValue(sent.before, previous)) };
  }
  return known;
}
