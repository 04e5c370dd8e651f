import { errorLine, isCoded } from '../../domain/errors.js';
import { placeInTarget } from '../../domain/metafield-key.js';
import {
  isStoreField,
  type StoreWriteOptions,
  type TargetWrite,
  type WriteOutcome,
} from '../../domain/store-port.js';
import {
  imageOfTarget,
  isTag,
  localesOf,
  placeOfTarget,
  tagTarget,
  translationTarget,
} from '../../domain/write-target.js';
import { refused, type TextWrite, togetherOrEach, written } from '../outcomes.js';
import type { ShopifyParts } from './parts.js';

/** The parts that targets are written by. */
export interface TargetWriteParts {
  readonly writer: Pick<ShopifyParts['writer'], 'fields' | 'metafields' | 'removeMetafields'>;
  readonly tagsAndAlts: Pick<ShopifyParts['tagsAndAlts'], 'addTags' | 'removeTags' | 'imageAlts'>;
  readonly definitions: Pick<ShopifyParts['definitions'], 'create'>;
  readonly translations: Pick<ShopifyParts['translations'], 'write' | 'remove'>;
}

interface Writing {
  readonly parts: TargetWriteParts;
  readonly storeId: string;
  readonly options: StoreWriteOptions;
  /** Targets that were to be written and were not. */
  readonly lost: Set<string>;
}

type Outcomes = AsyncGenerator<readonly WriteOutcome[]>;
type Step = (writing: Writing, writes: readonly TargetWrite[]) => Outcomes;

/** Translations come last: each is registered for its original text as the store holds it by then. */
const STEPS: readonly Step[] = [
  writeFields,
  addTags,
  removeTags,
  writeAlts,
  removeMetafields,
  writeMetafields,
  writeTranslations,
];

/** See the port's `write`. */
export async function* writeTargets(
  parts: TargetWriteParts,
  storeId: string,
  writes: readonly TargetWrite[],
  options: StoreWriteOptions,
): Outcomes {
  const writing: Writing = { parts, storeId, options, lost: new Set() };
  for (const step of STEPS)
    for await (const outcomes of step(writing, writes)) {
      for (const { target, outcome } of outcomes) if (outcome !== 'written') writing.lost.add(target);
      yield outcomes;
    }
}

function writeFields({ parts, storeId, options }: Writing, writes: readonly TargetWrite[]): Outcomes {
  const fields = writes.flatMap(({ target, value }) =>
    isStoreField(target) ? [[target, value ?? ''] as const] : [],
  );
  return togetherOrEach(fields, (some) => {
    const targets = some.map(([target]) => target);
    return asked(options, targets, async () => {
      const stored = await parts.writer.fields(storeId, Object.fromEntries(some), options);
      return targets.map((target) => written(target, stored[target] ?? null));
    });
  });
}

/** The store takes all tags or none, and does not say which one it refuses. */
function addTags({ parts, storeId, options }: Writing, writes: readonly TargetWrite[]): Outcomes {
  const added = writes.filter(({ target }) => isTag(target)).filter(hasValue);
  return togetherOrEach(added, (some) =>
    asked(options, targetsOf(some), async () => {
      const texts = some.map(({ value }) => value);
      const stored = await parts.tagsAndAlts.addTags(storeId, texts, options);
      const byTarget = new Map(stored.map((tag) => [tagTarget(tag), tag]));
      return some.map(({ target }) => {
        const tag = byTarget.get(target);
        return tag === undefined ? refused(target, 'the store did not take the tag') : written(target, tag);
      });
    }),
  );
}

function removeTags({ parts, storeId, options }: Writing, writes: readonly TargetWrite[]): Outcomes {
  const tags = writes.filter(
    ({ target, value, expected }) => isTag(target) && value === null && expected !== null,
  );
  return removed(options, tags, (some) => {
    const spelled = some.flatMap(({ expected }) => expected ?? []);
    return parts.tagsAndAlts.removeTags(storeId, spelled, options);
  });
}

async function* writeAlts({ parts, options }: Writing, writes: readonly TargetWrite[]): Outcomes {
  const alts = writes.filter(({ target }) => imageOfTarget(target) !== null);
  if (alts.length > 0)
    yield await asked(options, targetsOf(alts), () => parts.tagsAndAlts.imageAlts(alts, options));
}

function removeMetafields({ parts, storeId, options }: Writing, writes: readonly TargetWrite[]): Outcomes {
  const gone = writes.filter(({ target, value }) => isOwnMetafield(target) && value === null);
  return removed(options, gone, (some) => parts.writer.removeMetafields(storeId, targetsOf(some), options));
}

async function* writeMetafields(
  { parts, storeId, options }: Writing,
  writes: readonly TargetWrite[],
): Outcomes {
  const writable: TextWrite[] = [];
  for (const write of writes.filter(({ target }) => isOwnMetafield(target)).filter(hasValue)) {
    // A value that needs a definition and does not get it is refused.
    const { defines, needsDefinition, target } = write;
    const created = defines === undefined ? null : await parts.definitions.create(defines, options);
    if (created?.outcome === 'refused' && needsDefinition === true)
      yield [refused(target, `the store refused its definition: ${created.reason}`)];
    else writable.push(write);
  }
  if (writable.length === 0) return;
  options.onSending?.(targetsOf(writable));
  yield await parts.writer.metafields(storeId, writable, options);
}

async function* writeTranslations(writing: Writing, writes: readonly TargetWrite[]): Outcomes {
  for (const locale of localesOf(targetsOf(writes))) {
    const own = writes.filter(({ target }) => placeOfTarget(target).locale === locale);
    yield* writeLocale(writing, locale, own);
  }
}

async function* writeLocale(
  { parts, storeId, options, lost }: Writing,
  locale: string,
  writes: readonly TargetWrite[],
): Outcomes {
  const isLost = ({ target }: TargetWrite): boolean => lost.has(placeOfTarget(target).base);
  const reason = 'the text that it translates was not written';
  const without = writes.filter(isLost);
  if (without.length > 0) yield without.map(({ target }) => refused(target, reason));
  const kept = writes.filter((write) => !isLost(write));
  const gone = kept.filter(({ value }) => value === null);
  yield* removed(options, gone, (some) => {
    const bases = some.map(({ target }) => placeOfTarget(target).base);
    return parts.translations.remove(storeId, locale, bases, options);
  });
  const texts = kept.filter(hasValue).map(({ target, value, expected }) => {
    return { target: placeOfTarget(target).base, value, expected };
  });
  if (texts.length === 0) return;
  const targets = texts.map(({ target }) => translationTarget(locale, target));
  yield await asked(
    options,
    targets,
    async () =>
      (await parts.translations.write(storeId, locale, texts, options)).map((outcome) => ({
        ...outcome,
        target: translationTarget(locale, outcome.target),
      })),
    ['not_found', 'invalid'],
  );
}

/** The outcomes of a request. A request that is refused as a whole is each target's refusal. */
async function asked(
  { onSending }: StoreWriteOptions,
  targets: readonly string[],
  request: () => Promise<readonly WriteOutcome[]>,
  refusals: readonly ('invalid' | 'not_found')[] = ['invalid'],
): Promise<readonly WriteOutcome[]> {
  try {
    onSending?.(targets);
    return await request();
  } catch (error) {
    if (!isCoded(error, ...refusals)) throw error;
    return targets.map((target) => refused(target, errorLine(error)));
  }
}

function removed(
  options: StoreWriteOptions,
  writes: readonly TargetWrite[],
  request: (some: readonly TargetWrite[]) => Promise<void>,
): Outcomes {
  return togetherOrEach(writes, (some) =>
    asked(options, targetsOf(some), async () => {
      await request(some);
      return some.map(({ target }) => written(target, null));
    }),
  );
}

function targetsOf(writes: readonly TargetWrite[]): string[] {
  return writes.map(({ target }) => target);
}

function hasValue(write: TargetWrite): write is TextWrite {
  return write.value !== null;
}

/** A metafield in the shop's own language, of the product or of a variant. */
function isOwnMetafield(target: string): boolean {
  return placeInTarget(target) !== null;
}
