import { Injectable } from '@nestjs/common';
import { keyInTarget, metafieldName, metafieldTarget, placeInTarget } from '../domain/metafield-key.js';
import { CodedError } from '../domain/errors.js';
import type { LiveProduct, StoreConnector, StoreField, StoreWriteOptions } from '../domain/store-port.js';
import type { JournalField } from '../domain/write-back-journal.js';
import { afterRevert, type WrittenContent } from '../domain/written-content.js';
import { livePartsOf } from '../domain/live-parts.js';
import { imageOfTarget, isTag, localesOf, placeOfTarget } from '../domain/write-target.js';
import type { WriteBackEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { WriteBackRepository, type DecidedBy } from '../persistence/write-back.repository.js';
import { isStoreField } from '../planner/generated-content.js';
import { planRevert, type PlannedRevert } from '../planner/plan-revert.js';
import { withLandedWrites } from '../planner/plan-write-back.js';
import { currentValue, readTranslations } from '../sites/live-targets.js';
import { Logger } from '../runtime/logger.js';
import { Sites, type Store } from '../sites/sites.js';
import { HoldLostError, ProductHold } from './product-hold.js';

/**
 * Reverts an applied write-back. A field gets its before-image back exactly where the live value is still ours, and is left
 * alone elsewhere. The journal keeps both.
 */
@Injectable()
export class WriteBackReverter {
  private readonly log: Logger;

  constructor(
    private readonly sites: Sites,
    private readonly writeBacks: WriteBackRepository,
    private readonly links: LinkRepository,
    logger: Logger,
  ) {
    this.log = logger.child({ stage: 'write-back' });
  }

  /** Throws `not_found` for an unknown id, `conflict` when it is not applied or nothing of it is ours any more. */
  async revert(id: string, by: DecidedBy): Promise<readonly JournalField[]> {
    const row = await this.#applied(id);
    const hold = await ProductHold.take(this.links, row.externalId);
    if (hold === null)
      throw new CodedError('conflict', 'another write-back of the same product is under way');
    try {
      return await hold.during(() => this.#revert(row, hold, by));
    } catch (error) {
      if (!(error instanceof HoldLostError)) throw error;
      throw new CodedError('conflict', `${error.message}; revert it again`, { cause: error });
    }
  }

  /**
   * The journal that a revert would leave, without writing anything. `assumed` holds live values by target in place of the store's:
   * what reverts of newer write-backs of the same product would restore before. Throws as `revert` does, but lists the fields also
   * where nothing of it is ours any more.
   */
  async preview(id: string, assumed: ReadonlyMap<string, string | null>): Promise<readonly JournalField[]> {
    const row = await this.#applied(id);
    const found = await this.#found(row, assumed);
    return found.plan.fields;
  }

  async #applied(id: string): Promise<WriteBackEntity> {
    const row = await this.writeBacks.get(id);
    if (row === null) throw new CodedError('not_found', `no write-back ${id}`);
    if (row.state !== 'applied')
      throw new CodedError('conflict', `write-back ${id} is ${row.state}, not applied`);
    return row;
  }

  /** Reads the store and plans the revert. */
  async #found(row: WriteBackEntity, assumed: ReadonlyMap<string, string | null>): Promise<Found> {
    const store = this.sites.store(row.store);
    const link = await this.links.get(row.externalId);
    if (link === null) throw new CodedError('not_found', `product ${row.externalId} is not known`);
    const namespace = store.settings.writeBack.sections?.namespace ?? null;
    const targets = row.fields.filter(mayBeOurs).map((field) => field.target);
    const live = await store.connector.readLive(link.storeId, namespace, livePartsOf(targets));
    const translations =
      live === null ? null : await readTranslations(store.connector, link.storeId, targets);
    if (live === null || translations === null)
      throw new CodedError('not_found', 'the product was deleted in the store');
    const current = (target: string): string | null => {
      const value = assumed.get(target);
      return value === undefined ? currentValue(target, live, translations) : value;
    };
    const written = link.written ?? {};
    const plan = planRevert(withLanded(row, current), current, written);
    return { store, live, storeId: link.storeId, written, plan };
  }

  async #revert(row: WriteBackEntity, hold: ProductHold, by: DecidedBy): Promise<readonly JournalField[]> {
    const { store, live, storeId, written, plan } = await this.#found(row, new Map());
    const { fields, restore, restored } = plan;
    if (restored.size === 0) throw new CodedError('conflict', 'none of its fields still holds what it wrote');
    if (restore.length > 0) {
      const { connector } = store;
      await this.#restore({ connector, storeId, live, options: { beforeSend: hold.prove } }, restore);
    }
    const after = writtenAfter(written, restored);
    if (!(await this.writeBacks.reverted(row.id, row.externalId, hold.lease, fields, after, by)))
      throw new HoldLostError(row.externalId);
    const { id, externalId, deliveryId } = row;
    const outcomes = Object.fromEntries(fields.map(({ target, outcome }) => [target, outcome]));
    this.log.info(
      { writeBackId: id, externalId, deliveryId, store: store.key, state: 'reverted', fields: outcomes },
      'write-back reverted',
    );
    return fields;
  }

  async #restore(product: Restoring, ours: readonly JournalField[]): Promise<void> {
    const { connector, storeId, options } = product;
    const own = ours.filter((field) => placeOfTarget(field.target).locale === null);
    const values: Partial<Record<StoreField, string>> = {};
    for (const field of own) if (isStoreField(field.target)) values[field.target] = field.before ?? '';
    if (Object.keys(values).length > 0) await connector.writeFields(storeId, values, options);
    await this.#restoreParts(product, own);
    const metafields = own.filter(({ target }) => placeInTarget(target) !== null);
    const gone = metafields.filter((field) => field.before === null);
    if (gone.length > 0) {
      const names = gone.map(({ target }) => keyInTarget(target));
      await connector.removeMetafields(storeId, names, options);
    }
    const back = metafields.filter((field) => field.before !== null);
    if (back.length > 0) await this.#restoreMetafields(product, back);
    await this.#restoreTranslations(product, ours);
  }

  /** Removes the tags that were added, and puts back alternative texts. */
  async #restoreParts(
    { connector, storeId, options }: Restoring,
    own: readonly JournalField[],
  ): Promise<void> {
    const tags = own.filter(({ target }) => isTag(target)).flatMap(({ after }) => after ?? []);
    if (tags.length > 0) await connector.removeTags(storeId, tags, options);
    const alts = own.flatMap(({ target, before }) => {
      const image = imageOfTarget(target);
      return image === null ? [] : [{ image, alt: before ?? '' }];
    });
    if (alts.length === 0) return;
    const outcomes = await connector.writeImageAlts(alts, options);
    const refused = outcomes.find((outcome) => outcome.outcome === 'refused');
    if (refused && 'reason' in refused)
      throw new CodedError('conflict', `image ${refused.image}: ${refused.reason}`);
  }

  async #restoreMetafields(
    { connector, storeId, live, options }: Restoring,
    back: readonly JournalField[],
  ): Promise<void> {
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
    const refused = outcomes.find((outcome) => outcome.outcome !== 'written');
    if (refused && 'reason' in refused)
      throw new CodedError('conflict', `${metafieldName(refused)}: ${refused.reason}`);
  }

  /** Runs after the original texts are restored, because a translation is registered for the current text. */
  async #restoreTranslations(
    { connector, storeId, options }: Restoring,
    ours: readonly JournalField[],
  ): Promise<void> {
    for (const locale of localesOf(ours.map((field) => field.target))) {
      const translated = ours.flatMap(({ target, before, after }) => {
        const place = placeOfTarget(target);
        return place.locale === locale ? [{ target: place.base, before, after }] : [];
      });
      const gone = translated.flatMap(({ target, before }) => (before === null ? target : []));
      if (gone.length > 0) await connector.removeTranslations(storeId, locale, gone, options);
      const back = translated.flatMap(({ target, before, after }) =>
        before === null ? [] : [{ target, value: before, expected: after }],
      );
      if (back.length === 0) continue;
      const outcomes = await connector.writeTranslations(storeId, locale, back, options);
      const refused = outcomes.find((outcome) => outcome.outcome !== 'written');
      if (refused && 'reason' in refused)
        throw new CodedError('conflict', `${locale}:${refused.target}: ${refused.reason}`);
    }
  }
}

/** A write-back and its product, as a revert finds them. */
interface Found {
  readonly store: Store;
  readonly live: LiveProduct;
  readonly storeId: string;
  readonly written: WrittenContent;
  readonly plan: PlannedRevert;
}

/** A product whose fields are restored. */
interface Restoring {
  readonly connector: StoreConnector;
  readonly storeId: string;
  readonly live: LiveProduct;
  readonly options: StoreWriteOptions;
}

function mayBeOurs({ outcome, unanswered }: JournalField): boolean {
  return outcome === 'written' || unanswered === true;
}

/** The journal in which unanswered fields that are in the store count as written. */
function withLanded(
  row: WriteBackEntity,
  current: (target: string) => string | null,
): readonly JournalField[] {
  const open = row.fields.filter(({ unanswered }) => unanswered === true);
  const sent = Object.fromEntries(
    open.flatMap(({ target }) => {
      const value = row.sent[target];
      return value === undefined ? [] : [[target, value] as const];
    }),
  );
  const landed = withLandedWrites({}, [sent], current);
  return row.fields.map((field) =>
    landed[field.target] === undefined
      ? field
      : { ...field, outcome: 'written', after: current(field.target) },
  );
}

function writtenAfter(written: WrittenContent, restored: ReadonlySet<string>): WrittenContent {
  return Object.fromEntries(
    Object.entries(written).map(([target, field]) => [
      target,
      restored.has(target) ? afterRevert(field) : field,
    ]),
  );
}
