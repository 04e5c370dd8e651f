import { isTextType, placeInTarget } from '../domain/metafield-key.js';
import { isStoreField, liveValue, NO_VALUE, type LiveProduct, type LiveValue } from '../domain/store-port.js';
import { IMAGE_ALTS, placeOfTarget } from '../domain/write-target.js';
import { afterWrite, effectiveValue, valueHash, type WrittenContent } from '../domain/written-content.js';
import type { IntendedValue, SentValue } from '../domain/write-back-journal.js';
import { decidedCategory, type CategoriesView } from './decided-category.js';
import { definedValue, type DefinedValue, type DefinitionsView } from './defined-value.js';
import { sameContent, verdict, type FieldDecision, type KnownContent, type Ruling } from './field-verdict.js';
import { finalText, merchantsText, withRemovals, type ShownText } from './final-text.js';
import { imageAltDecisions } from './image-alts.js';
import type { KeepableElement } from './kept-media.js';

export interface WriteBackContext extends KnownContent {
  /** Targets for which a newer result of the product, or of one of its variants, has a value. */
  readonly newerTargets: ReadonlySet<string>;
  /** Whether the store's settings still map something to the target. */
  readonly isMapped: (target: string) => boolean;
  /** Elements of the merchant's description that stay after a generated one. */
  readonly keep: readonly KeepableElement[];
  /** Further hosts that generated pictures may be from: those of the store, and `writeBack.imageHosts`. */
  readonly pictureHosts: readonly string[];
  /** The merchant's definitions of the intended metafields. */
  readonly definitions: DefinitionsView;
  /** The categories of the store that the intended texts name. */
  readonly categories: CategoriesView;
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
  return intended
    .flatMap((value) => decided.get(value) ?? decideTranslation(value, live, byTarget, context))
    .map((decision) => overtaken(decision, context));
}

/** The decision, unless a newer result or the present settings keep the value from its place. What was begun is finished. */
function overtaken(
  decision: FieldDecision,
  { newerTargets, isMapped, sentBefore }: WriteBackContext,
): FieldDecision {
  const { target, partOf = target, verdict: ruled } = decision;
  if (ruled !== 'write' && ruled !== 'conflict') return decision;
  if (newerTargets.has(target))
    return { ...decision, verdict: 'unfit', reason: 'a newer result has a value for it' };
  if (isMapped(partOf) || sentBefore[target] !== undefined) return decision;
  return { ...decision, verdict: 'unfit', reason: 'no setting maps a value to it any more' };
}

/** The decision about a value, or one about each part of the product that it goes to. */
function decideOwn(
  value: IntendedValue,
  live: LiveProduct,
  context: WriteBackContext,
): readonly FieldDecision[] {
  return value.target === IMAGE_ALTS && value.withheld === undefined
    ? imageAltDecisions(value, live, context)
    : [decideField(value, live, context)];
}

function decideField(value: IntendedValue, live: LiveProduct, context: WriteBackContext): FieldDecision {
  const present = presentValue(value.target, live);
  const found = { before: present.value, token: present.token };
  if (value.withheld !== undefined)
    return { ...value, ...found, verdict: 'not_generated', reason: value.withheld };
  if (present.closed !== undefined)
    return { ...value, ...found, verdict: 'unfit', reason: present.closed.reason };
  const meant = meantValue(value, { present, live }, context);
  if ('unfit' in meant) return { ...value, ...found, verdict: 'unfit', reason: meant.unfit };
  const decided = { ...meant.value, ...found, ...rulingOn(meant.value, found.before, live, context) };
  return decided.verdict === 'write' && meant.defines !== undefined
    ? { ...decided, defines: meant.defines }
    : decided;
}

/** The verdict about a value in its final form. Its reason also says what the value removes. */
function rulingOn(
  value: IntendedValue,
  current: string | null,
  live: LiveProduct,
  context: WriteBackContext,
): Ruling {
  return withRemovals(verdict(value, current, context), value, shownText(value, current, live, context));
}

function shownText(
  { target }: IntendedValue,
  current: string | null,
  live: LiveProduct,
  { written, keep, pictureHosts }: WriteBackContext,
): ShownText {
  const merchants = merchantsText(target, current, live, written);
  const own = live.values.get('descriptionHtml')?.value ?? null;
  const description = effectiveValue(own, written['descriptionHtml']);
  return { merchants, description, live, keep, pictureHosts };
}

interface Present {
  readonly present: LiveValue;
  readonly live: LiveProduct;
}

/** The value in the form that its place takes, or the reason why it has no place. */
function meantValue(
  value: IntendedValue,
  { present, live }: Present,
  context: WriteBackContext,
): DefinedValue {
  const { target } = value;
  if (target === 'category') return decidedCategory(value, context.categories);
  const text = finalText(value, shownText(value, present.value, live, context));
  if ('unfit' in text || isStoreField(placeOfTarget(target).base)) return text;
  if (placeInTarget(target) === null) return text;
  return definedValue(text.value, present.type, context.definitions);
}

/**
 * A translation has the same final form as a text of the shop's own language. It belongs to the text that the store will show, so it
 * is held back where the merchant keeps another text. The text may be created by this same write-back, so a missing text does not
 * prevent the translation.
 */
function decideTranslation(
  value: IntendedValue,
  live: LiveProduct,
  own: ReadonlyMap<string, FieldDecision>,
  context: WriteBackContext,
): FieldDecision {
  const { base } = placeOfTarget(value.target);
  const present = live.values.get(value.target);
  const before = present?.value ?? null;
  const decided = (ruling: Ruling): FieldDecision => ({ ...value, ...ruling, before, token: null });
  const untranslatable = (reason: string): FieldDecision => decided({ verdict: 'untranslatable', reason });
  if (value.withheld !== undefined) return decided({ verdict: 'not_generated', reason: value.withheld });
  if (present === undefined) return untranslatable('the store’s translations are not known');
  const { closed } = present;
  if (closed !== undefined && closed.why !== 'no_original') return untranslatable(closed.reason);
  const meant = meantValue(value, { present: { ...present, type: value.type }, live }, context);
  if ('unfit' in meant) return decided({ verdict: 'unfit', reason: meant.unfit });
  const ruling = rulingOn(meant.value, before, live, context);
  if (ruling.verdict !== 'write') return { ...decided(ruling), value: meant.value.value };
  const original = own.get(base);
  if (original?.type != null && !isTextType(original.type))
    return untranslatable(`the store holds it as ${original.type}`);
  if (original?.verdict === 'conflict')
    return decided({
      verdict: 'conflict',
      reason: `it translates a text that is not written: ${original.reason}`,
    });
  if (closed !== undefined && original?.verdict !== 'write') return untranslatable(closed.reason);
  return { ...decided(ruling), ...meant.value };
}

/** Each image has a value of its own. */
function presentValue(target: string, live: LiveProduct): LiveValue {
  return target === IMAGE_ALTS ? NO_VALUE : liveValue(live, target);
}

/**
 * The written content of a product, including values that earlier write-backs sent and then recorded as failed,
 * oldest first. A write that timed out may have reached the store, and then its value is ours and not the merchant's.
 * `current` returns the live value of a target, and `typeOf` its type as a metafield.
 */
export function withLandedWrites(
  written: WrittenContent,
  failed: readonly Readonly<Record<string, SentValue>>[],
  current: (target: string) => string | null,
  typeOf: (target: string) => string | null = () => null,
): WrittenContent {
  let known = written;
  for (const [target, sent] of failed.flatMap((each) => Object.entries(each))) {
    const live = current(target);
    const previous = known[target];
    if (live === null || previous?.ours === valueHash(live)) continue;
    const value = { target, value: sent.value, type: typeOf(target), from: '', raw: null };
    if (!sameContent(value, live)) continue;
    known = { ...known, [target]: afterWrite(previous, live, effectiveValue(sent.before, previous)) };
  }
  return known;
}
