import { Injectable } from '@nestjs/common';
import { liveValue } from '../domain/store-port.js';
import { placeOfTarget, readTargetsFor } from '../domain/write-target.js';
import type { StoreProductEntity, WriteBackEntity } from '../persistence/entities/index.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { needsImages } from '../planner/final-text.js';
import { isMapped } from '../planner/mapped-target.js';
import { decideFields, withLandedWrites } from '../planner/plan-write-back.js';
import { pictureHostsOf, readConstraints } from '../connections/live-targets.js';
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
      ...row.intended.filter(
        (value) => value.withheld === undefined || placeOfTarget(value.target).locale === null,
      ),
      ...failed.flatMap((sent) => Object.keys(sent)).map((target) => ({ target })),
    ];
    const namespace = writeBack.sections?.namespace ?? null;
    const targets = readTargetsFor(
      asked.map(({ target }) => target),
      { namespace, images: needsImages(row.intended, pictureHostsOf(store)) },
    );
    const constraints = await readConstraints(store, row.intended);
    const live = await store.connector.readTargets(link.storeId, targets);
    if (live === null) return null;
    const newerTargets = await this.writeBacks.newerTargets(row);
    const before = link.written ?? {};
    const written = withLandedWrites(
      before,
      failed,
      (target) => liveValue(live, target).value,
      (target) => liveValue(live, target).type,
    );
    const decisions = decideFields(row.intended, live, {
      seen: row.seen,
      written,
      pushedValues: link.pushedFields,
      onConflict: writeBack.onConflict,
      released,
      releasedValues: row.state === 'ready' ? row.releasedValues : null,
      sentBefore: row.sent,
      newerTargets,
      isMapped: (target) => isMapped(target, writeBack),
      keep: writeBack.keep,
      pictureHosts: pictureHostsOf(store),
      ...constraints,
    });
    return { live, decisions, written, foundMore: written !== before };
  }
}
