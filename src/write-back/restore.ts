import { keyInTarget, metafieldName, metafieldTarget, placeInTarget } from '../domain/metafield-key.js';
import { errorLine, isCoded } from '../domain/errors.js';
import type { LiveProduct, StoreConnector, StoreField, StoreWriteOptions } from '../domain/store-port.js';
import { imageAltTarget, imageOfTarget, isTag, localesOf, placeOfTarget } from '../domain/write-target.js';
import type { JournalField } from '../domain/write-back-journal.js';
import { afterRevert, type WrittenContent } from '../domain/written-content.js';
import type { WriteBackEntity } from '../persistence/entities/index.js';
import { isStoreField } from '../planner/generated-content.js';
import type { PlannedRevert } from '../planner/plan-revert.js';

/** A product whose fields are restored. */
export interface Restoring {
  readonly connector: StoreConnector;
  readonly storeId: string;
  readonly live: LiveProduct;
  readonly options: StoreWriteOptions;
}

/** The journal of a revert that is under way. */
export class RevertProgress {
  readonly #restored: Set<string>;
  readonly #refused = new Map<string, string>();

  /** `record` stores what is restored so far. */
  constructor(
    private readonly row: Pick<WriteBackEntity, 'fields'>,
    private readonly plan: PlannedRevert,
    private readonly writtenBefore: WrittenContent,
    private readonly record: (fields: readonly JournalField[], written: WrittenContent) => Promise<void>,
  ) {
    // What already holds its before-image needs no request.
    const toRestore = new Set(plan.restore.map(({ target }) => target));
    this.#restored = new Set([...plan.restored].filter((target) => !toRestore.has(target)));
  }

  /** The store has these before-images by now. Recorded before anything else is sent. */
  async restored(targets: readonly string[]): Promise<void> {
    if (targets.length === 0) return;
    for (const target of targets) this.#restored.add(target);
    await this.record(this.fields, this.written);
  }

  refuse(target: string, reason: string): void {
    this.#refused.set(target, reason);
  }

  get refused(): string[] {
    return [...this.#refused].map(([target, reason]) => `${target} (${reason})`);
  }

  /** The planned journal, in which fields that are not restored yet stay as they were. */
  get fields(): readonly JournalField[] {
    const before = new Map(this.row.fields.map((field) => [field.target, field]));
    return this.plan.fields.map((field) => {
      const isOpen = this.plan.restored.has(field.target) && !this.#restored.has(field.target);
      return isOpen ? (before.get(field.target) ?? field) : field;
    });
  }

  /** The product's written content with the restored fields. */
  get written(): WrittenContent {
    const before = new Map(this.plan.fields.map((field) => [field.target, field.before]));
    return Object.fromEntries(
      Object.entries(this.writtenBefore).map(([target, field]) => [
        target,
        this.#restored.has(target) ? afterRevert(field, before.get(target) ?? null) : field,
      ]),
    );
  }
}

type Step = (product: Restoring, fields: readonly JournalField[], progress: RevertProgress) => Promise<void>;

/** Translations come last, because each is registered for its current text. */
const STEPS: readonly Step[] = [
  restoreStoreFields,
  restoreTags,
  restoreAlts,
  removeMetafields,
  restoreMetafields,
  restoreTranslations,
];

/**
 * Puts the before-images back, step by step, and records each step. A field that the store refuses is left as it is, and the others go
 * on. Any other error ends the revert; what was restored is recorded by then.
 */
export async function restoreFields(
  product: Restoring,
  fields: readonly JournalField[],
  progress: RevertProgress,
): Promise<void> {
  for (const step of STEPS) await step(product, fields, progress);
}

/** True when the store took the values; a refusal is noted for each target. */
async function isTaken(
  progress: RevertProgress,
  targets: readonly string[],
  request: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (!isCoded(error, 'invalid')) throw error;
    for (const target of targets) progress.refuse(target, errorLine(error));
    return false;
  }
}

function targetsOf(fields: readonly JournalField[]): string[] {
  return fields.map(({ target }) => target);
}

async function restoreStoreFields(
  { connector, storeId, options }: Restoring,
  fields: readonly JournalField[],
  progress: RevertProgress,
): Promise<void> {
  const own = fields.filter(({ target }) => isStoreField(target));
  if (own.length === 0) return;
  const values: Partial<Record<StoreField, string>> = {};
  for (const { target, before } of own) if (isStoreField(target)) values[target] = before ?? '';
  const targets = targetsOf(own);
  if (await isTaken(progress, targets, () => connector.writeFields(storeId, values, options)))
    await progress.restored(targets);
}

/** Removes the tags that were added. */
async function restoreTags(
  { connector, storeId, options }: Restoring,
  fields: readonly JournalField[],
  progress: RevertProgress,
): Promise<void> {
  const own = fields.filter(({ target }) => isTag(target));
  const tags = own.flatMap(({ after }) => after ?? []);
  if (tags.length === 0) return;
  const targets = targetsOf(own);
  if (await isTaken(progress, targets, () => connector.removeTags(storeId, tags, options)))
    await progress.restored(targets);
}

async function restoreAlts(
  { connector, options }: Restoring,
  fields: readonly JournalField[],
  progress: RevertProgress,
): Promise<void> {
  const alts = fields.flatMap(({ target, before }) => {
    const image = imageOfTarget(target);
    return image === null ? [] : [{ image, alt: before ?? '' }];
  });
  if (alts.length === 0) return;
  const restored: string[] = [];
  for (const outcome of await connector.writeImageAlts(alts, options)) {
    const target = imageAltTarget(outcome.image);
    if (outcome.outcome === 'written') restored.push(target);
    else progress.refuse(target, outcome.reason);
  }
  await progress.restored(restored);
}

function ownMetafields(fields: readonly JournalField[]): JournalField[] {
  return fields.filter(
    ({ target }) => placeInTarget(target) !== null && placeOfTarget(target).locale === null,
  );
}

async function removeMetafields(
  { connector, storeId, options }: Restoring,
  fields: readonly JournalField[],
  progress: RevertProgress,
): Promise<void> {
  const targets = targetsOf(ownMetafields(fields).filter(({ before }) => before === null));
  if (targets.length === 0) return;
  const names = targets.map((target) => keyInTarget(target));
  if (await isTaken(progress, targets, () => connector.removeMetafields(storeId, names, options)))
    await progress.restored(targets);
}

async function restoreMetafields(
  { connector, storeId, live, options }: Restoring,
  fields: readonly JournalField[],
  progress: RevertProgress,
): Promise<void> {
  const back = ownMetafields(fields).filter(({ before }) => before !== null);
  if (back.length === 0) return;
  const outcomes = await connector.writeMetafields(
    storeId,
    back.map((field) => {
      const current = live.metafields.find((each) => metafieldTarget(each) === field.target);
      return {
        ...keyInTarget(field.target),
        type: current?.type ?? field.type ?? 'single_line_text_field',
        value: field.before ?? '',
        expectedDigest: current?.digest ?? null,
      };
    }),
    options,
  );
  for (const outcome of outcomes)
    if (outcome.outcome !== 'written')
      progress.refuse(metafieldTarget(outcome), `${metafieldName(outcome)}: ${outcome.reason}`);
  await progress.restored(
    outcomes.filter(({ outcome }) => outcome === 'written').map((outcome) => metafieldTarget(outcome)),
  );
}

async function restoreTranslations(
  product: Restoring,
  fields: readonly JournalField[],
  progress: RevertProgress,
): Promise<void> {
  for (const locale of localesOf(targetsOf(fields))) await restoreLocale(product, locale, fields, progress);
}

async function restoreLocale(
  { connector, storeId, options }: Restoring,
  locale: string,
  fields: readonly JournalField[],
  progress: RevertProgress,
): Promise<void> {
  const own = fields.filter(({ target }) => placeOfTarget(target).locale === locale);
  const gone = own.filter(({ before }) => before === null);
  if (gone.length > 0) {
    const bases = gone.map(({ target }) => placeOfTarget(target).base);
    const targets = targetsOf(gone);
    if (await isTaken(progress, targets, () => connector.removeTranslations(storeId, locale, bases, options)))
      await progress.restored(targets);
  }
  const back = own.flatMap(({ target, before, after }) =>
    before === null ? [] : [{ target: placeOfTarget(target).base, value: before, expected: after }],
  );
  if (back.length === 0) return;
  const outcomes = await connector.writeTranslations(storeId, locale, back, options);
  const restored: string[] = [];
  for (const outcome of outcomes) {
    const target = `${locale}:${outcome.target}`;
    if (outcome.outcome === 'written') restored.push(target);
    else progress.refuse(target, outcome.reason);
  }
  await progress.restored(restored);
}
