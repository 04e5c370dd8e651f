import { errorLine, isCoded } from '../domain/errors.js';
import type { MetafieldWrite, StoreConnector, StoreField, StoreWriteOptions } from '../domain/store-port.js';
import { keyInTarget, placeInTarget } from '../domain/metafield-key.js';
import {
  imageAltTarget,
  imageOfTarget,
  isTag,
  placeOfTarget,
  tagTarget,
  translationTarget,
} from '../domain/write-target.js';
import { isStoreField } from '../planner/generated-content.js';
import type { FieldDecision } from '../planner/plan-write-back.js';
import type { Journal } from './journal.js';

/** One product that is being written to. */
export interface Sending {
  readonly connector: StoreConnector;
  readonly storeId: string;
  readonly journal: Journal;
  readonly options: StoreWriteOptions;
}

type Step = (sending: Sending, toWrite: readonly FieldDecision[]) => Promise<void>;

/** Translations come last: each is registered for its original text as the store holds it by then. */
const STEPS: readonly Step[] = [sendFields, sendTags, sendAlts, sendMetafields, sendTranslations];

/**
 * Sends the decided values, step by step, and journals each outcome. A refusal is the refused field's outcome. Any other error
 * ends the attempt; the journal then shows what got through and what may have got through.
 */
export async function send(sending: Sending, toWrite: readonly FieldDecision[]): Promise<void> {
  for (const step of STEPS) {
    if (sending.journal.isGone) return;
    await step(sending, toWrite);
  }
}

/** All fields go in one call. A store that refuses it may mean one of them, so each is then sent by itself. */
async function sendFields(sending: Sending, toWrite: readonly FieldDecision[]): Promise<void> {
  const values: [StoreField, string][] = [];
  for (const { target, value } of toWrite) if (isStoreField(target)) values.push([target, value]);
  if (values.length === 0) return;
  const refusal = await sendTogether(sending, values);
  if (refusal === null) return;
  for (const value of values) {
    if (sending.journal.isGone) return;
    const own = values.length === 1 ? refusal : await sendTogether(sending, [value]);
    if (own !== null) sending.journal.refused(value[0], own);
  }
}

/** The reason of a refusal; null when the fields were written, or the product is gone. */
async function sendTogether(
  { connector, storeId, journal, options }: Sending,
  values: readonly (readonly [StoreField, string])[],
): Promise<string | null> {
  const targets = values.map(([target]) => target);
  try {
    journal.sending(targets);
    const stored = await connector.writeFields(storeId, Object.fromEntries(values), options);
    for (const target of targets) journal.written(target, stored[target] ?? null);
    return null;
  } catch (error) {
    if (isCoded(error, 'not_found')) {
      journal.gone();
      return null;
    }
    if (!isCoded(error, 'invalid')) throw error;
    return errorLine(error);
  }
}

async function sendTags(sending: Sending, toWrite: readonly FieldDecision[]): Promise<void> {
  const { connector, storeId, journal, options } = sending;
  const tags = toWrite.filter(({ target }) => isTag(target));
  if (tags.length === 0) return;
  try {
    journal.sending(tags.map(({ target }) => target));
    const stored = await connector.addTags(
      storeId,
      tags.map(({ value }) => value),
      options,
    );
    const byTarget = new Map(stored.map((tag) => [tagTarget(tag), tag]));
    for (const { target } of tags) {
      const tag = byTarget.get(target);
      if (tag === undefined) journal.refused(target, 'the store did not take the tag');
      else journal.written(target, tag);
    }
  } catch (error) {
    if (isCoded(error, 'not_found')) {
      journal.gone();
      return;
    }
    if (!isCoded(error, 'invalid')) throw error;
    for (const { target } of tags) journal.refused(target, errorLine(error));
  }
}

async function sendAlts(sending: Sending, toWrite: readonly FieldDecision[]): Promise<void> {
  const { connector, journal, options } = sending;
  const writes = toWrite.flatMap(({ target, value }) => {
    const image = imageOfTarget(target);
    return image === null ? [] : [{ image, alt: value }];
  });
  if (writes.length === 0) return;
  const targets = writes.map(({ image }) => imageAltTarget(image));
  try {
    journal.sending(targets);
    for (const outcome of await connector.writeImageAlts(writes, options)) {
      const target = imageAltTarget(outcome.image);
      if (outcome.outcome === 'written') journal.written(target, outcome.alt);
      else journal.refused(target, outcome.reason);
    }
  } catch (error) {
    if (!isCoded(error, 'invalid')) throw error;
    for (const target of targets) journal.refused(target, errorLine(error));
  }
}

async function sendMetafields(sending: Sending, toWrite: readonly FieldDecision[]): Promise<void> {
  const { connector, storeId, journal, options } = sending;
  const metafields = toWrite.filter(({ target }) => placeInTarget(target) !== null);
  const writable = await defined(sending, metafields);
  if (writable.length === 0) return;
  journal.sending(writable.map(({ target }) => target));
  const outcomes = await connector.writeMetafields(storeId, writable.map(metafieldWrite), options);
  for (const outcome of outcomes) journal.metafield(outcome);
}

/** Creates the definitions that are missing. A value that needs one and does not get it is refused. */
async function defined(
  { connector, journal, options }: Sending,
  metafields: readonly FieldDecision[],
): Promise<FieldDecision[]> {
  const writable: FieldDecision[] = [];
  for (const decision of metafields) {
    const { defines, needsDefinition, target } = decision;
    const created = defines === undefined ? null : await connector.createDefinition(defines, options);
    if (created?.outcome === 'refused' && needsDefinition === true)
      journal.refused(target, `the store refused its definition: ${created.reason}`);
    else writable.push(decision);
  }
  return writable;
}

async function sendTranslations(sending: Sending, toWrite: readonly FieldDecision[]): Promise<void> {
  const translations = toWrite.filter(({ target }) => placeOfTarget(target).locale !== null);
  const byLocale = Map.groupBy(translations, ({ target }) => placeOfTarget(target).locale ?? '');
  for (const [locale, decisions] of byLocale) await sendLocale(sending, locale, decisions);
}

async function sendLocale(
  { connector, storeId, journal, options }: Sending,
  locale: string,
  decisions: readonly FieldDecision[],
): Promise<void> {
  const [lost, kept] = partition(decisions, ({ target }) => journal.wasLost(placeOfTarget(target).base));
  for (const { target } of lost) journal.refused(target, 'the text that it translates was not written');
  if (kept.length === 0) return;
  const writes = kept.map(({ target, value, before }) => ({
    target: placeOfTarget(target).base,
    value,
    expected: before,
  }));
  try {
    journal.sending(kept.map(({ target }) => target));
    for (const outcome of await connector.writeTranslations(storeId, locale, writes, options))
      journal.outcome(translationTarget(locale, outcome.target), outcome);
  } catch (error) {
    if (!isCoded(error, 'not_found', 'invalid')) throw error;
    for (const { target } of kept) journal.refused(target, errorLine(error));
  }
}

function partition<T>(all: readonly T[], matches: (each: T) => boolean): [T[], T[]] {
  return [all.filter(matches), all.filter((each) => !matches(each))];
}

function metafieldWrite(decision: FieldDecision): MetafieldWrite {
  return {
    ...keyInTarget(decision.target),
    value: decision.value,
    type: decision.type ?? 'single_line_text_field',
    expectedDigest: decision.digest,
  };
}
