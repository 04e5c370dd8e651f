import { Inject, Injectable } from '@nestjs/common';
import { CodedError } from '../domain/errors.js';
import { liveValue, type LiveProduct } from '../domain/store-port.js';
import type { JournalField } from '../domain/write-back-journal.js';
import { valueHash, type WrittenContent } from '../domain/written-content.js';
import { readTargetsFor } from '../domain/write-target.js';
import type { WriteBackEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { WriteBackRepository, type DecidedBy } from '../persistence/write-back.repository.js';
import { WriteBackReverts } from '../persistence/write-back-reverts.repository.js';
import { planRevert, type PlannedRevert } from '../planner/plan-revert.js';
import { withLandedWrites } from '../planner/plan-write-back.js';
import { unreadReason } from '../connections/live-targets.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';
import { Connections, type Store } from '../connections/connections.js';
import { HoldLostError, ProductHold } from './product-hold.js';
import { restoreFields, RevertProgress } from './restore.js';

/**
 * Reverts an applied write-back. A field gets its before-image back exactly where the live value is still ours, and is left
 * alone elsewhere. The journal keeps both, step by step: a revert that ends in the middle has recorded what it restored, and the next one
 * does the rest.
 */
@Injectable()
export class WriteBackReverter {
  private readonly log: Logger;

  constructor(
    private readonly connections: Connections,
    private readonly writeBacks: WriteBackRepository,
    private readonly reverts: WriteBackReverts,
    private readonly links: LinkRepository,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
    logger: Logger,
  ) {
    this.log = logger.child({ stage: 'write-back' });
  }

  /**
   * Throws `not_found` for an unknown id, `conflict` when it is not applied or nothing of it is ours any more, and the store's error when
   * it fails at some field. What was restored by then is recorded.
   */
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
    const store = this.connections.store(row.store);
    const link = await this.links.get(row.externalId);
    if (link === null) throw new CodedError('not_found', `product ${row.externalId} is not known`);
    const namespace = store.settings.writeBack.sections?.namespace ?? null;
    const targets = row.fields.filter(mayBeOurs).map((field) => field.target);
    const live = await store.connector.readTargets(link.storeId, readTargetsFor(targets, { namespace }));
    if (live === null) throw new CodedError('not_found', 'the product was deleted in the store');
    const current = (target: string): string | null => {
      const value = assumed.get(target);
      return value === undefined ? liveValue(live, target).value : value;
    };
    const written = link.written ?? {};
    const typeOf = (target: string): string | null => liveValue(live, target).type;
    const later = await this.writeBacks.writtenLater(row);
    const plan = planRevert(
      withLanded(row, current, typeOf),
      current,
      written,
      (target) => unreadReason(live, target),
      (target) => !assumed.has(target) && later.get(target)?.has(valueHash(current(target))) === true,
    );
    return { store, live, storeId: link.storeId, written, plan };
  }

  async #revert(row: WriteBackEntity, hold: ProductHold, by: DecidedBy): Promise<readonly JournalField[]> {
    const { store, live, storeId, written, plan } = await this.#found(row, new Map());
    const beforeSend = hold.fence(this.clock);
    const wasBegun = row.fields.some(({ outcome }) => outcome === 'reverted');
    if (plan.restored.size === 0 && !wasBegun)
      throw new CodedError('conflict', 'none of its fields still holds what it wrote');
    const progress = new RevertProgress(row, plan, written, (fields, after) =>
      this.#record(row, hold, fields, after),
    );
    const product = { connector: store.connector, storeId, live, options: { beforeSend } };
    await restoreFields(product, plan.restore, progress);
    const { refused, fields } = progress;
    if (refused.length > 0)
      throw new CodedError(
        'conflict',
        `the store refused to restore ${refused.join(', ')}; the rest is restored`,
      );
    if (!(await this.reverts.reverted(row.id, row.externalId, hold.lease, fields, progress.written, by)))
      throw new HoldLostError(row.externalId);
    const { id, externalId, deliveryId } = row;
    const outcomes = Object.fromEntries(fields.map(({ target, outcome }) => [target, outcome]));
    this.log.info(
      { writeBackId: id, externalId, deliveryId, store: store.key, state: 'reverted', fields: outcomes },
      'write-back reverted',
    );
    return fields;
  }

  async #record(
    row: WriteBackEntity,
    hold: ProductHold,
    fields: readonly JournalField[],
    written: WrittenContent,
  ): Promise<void> {
    if (!(await this.reverts.revertedInPart(row.id, row.externalId, hold.lease, fields, written)))
      throw new HoldLostError(row.externalId);
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

function mayBeOurs({ outcome, unanswered }: JournalField): boolean {
  return outcome === 'written' || unanswered === true;
}

/** The journal in which unanswered fields that are in the store count as written. */
function withLanded(
  row: WriteBackEntity,
  current: (target: string) => string | null,
  typeOf: (target: string) => string | null,
): readonly JournalField[] {
  const open = row.fields.filter(({ unanswered }) => unanswered === true);
  const sent = Object.fromEntries(
    open.flatMap(({ target }) => {
      const value = row.sent[target];
      return value === undefined ? [] : [[target, value] as const];
    }),
  );
  const landed = withLandedWrites({}, [sent], current, typeOf);
  return row.fields.map((field) =>
    landed[field.target] === undefined
      ? field
      : { ...field, outcome: 'written', after: current(field.target) },
  );
}
