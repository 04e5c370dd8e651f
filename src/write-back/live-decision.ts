import { Injectable } from '@nestjs/common';
import { livePartsOf } from '../domain/live-parts.js';
import type { StoreProductEntity, WriteBackEntity } from '../persistence/entities/index.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { needsImages } from '../planner/final-text.js';
import { decideFields, withLandedWrites } from '../planner/plan-write-back.js';
import {
  currentValue,
  pictureHostsOf,
  readCategories,
  readDefinitions,
  readTranslations,
} from '../connections/live-targets.js';
import type { Store } from '../connections/connections.js';
import type { Decided } from './journal.js';

/**
 * Decides about each field of a write-back by what the store holds now. The writer and everybody who judges a text before it is written
 * ask here, so that a page never says anything else than what the write does.
 */
@Injectable()
export class LiveDecision {
  constructor(private readonly writeBacks: WriteBackRepository) {}

  /** Reads the store. `released`: fields that the merchant edited are written, too. Null when the store has no such product. */
  async about(
    store: Store,
    row: WriteBackEntity,
    link: StoreProductEntity,
    { released }: { readonly released: boolean },
  ): Promise<Decided | null> {
    const { writeBack } = store.settings;
    const failed = await this.writeBacks.sentUnanswered(row.externalId);
    const asked = [
      ...row.intended.map(({ target }) => target),
      ...failed.flatMap((sent) => Object.keys(sent)),
    ];
    const namespace = writeBack.sections?.namespace ?? null;
    const parts = livePartsOf(asked, { images: needsImages(row.intended, pictureHostsOf(store)) });
    const live = await store.connector.readLive(link.storeId, namespace, parts);
    if (live === null) return null;
    const targets = row.intended.filter((value) => value.withheld === undefined).map(({ target }) => target);
    const translations = await readTranslations(store.connector, link.storeId, targets);
    if (translations === null) return null;
    const definitions = await readDefinitions(store, targets);
    const categories = await readCategories(store.connector, row.intended);
    const newerTargets = await this.writeBacks.newerTargets(row);
    const before = link.written ?? {};
    const written = withLandedWrites(before, failed, (target) => currentValue(target, live, translations));
    const decisions = decideFields(row.intended, live, {
      seen: row.seen,
      written,
      pushedValues: link.pushedFields,
      onConflict: writeBack.onConflict,
      released,
      sentBefore: row.sent,
      newerTargets,
      keep: writeBack.keep,
      pictureHosts: pictureHostsOf(store),
      definitions,
      categories,
      translations,
    });
    return { live, decisions, written, foundMore: written !== before };
  }
}
