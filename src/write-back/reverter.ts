import { randomUUID } from 'node:crypto';
import { CodedError } from '../domain/errors.js';
import type { LiveProduct, StoreField } from '../domain/store-port.js';
import type { JournalField } from '../domain/write-back-journal.js';
import { afterRevert, valueHash, type WrittenContent } from '../domain/written-content.js';
import { localesOf, placeOfTarget } from '../domain/write-target.js';
import type { StoreProductEntity, WriteBackEntity } from '../persistence/entities/index.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { WriteBackRepository } from '../persistence/write-back.repository.js';
import { isStoreField } from '../planner/generated-content.js';
import { currentValue, readTranslations } from '../sites/live-translations.js';
import { SILENT_LOG, type RowLog } from '../runtime/logger.js';
import type { Sites, Store } from '../sites/sites.js';
import { namespaceAndKey } from './writer.js';

const LEASE_MS = 120_000;

/**
 * Undoes an applied write-back: each field gets its before-image back exactly where the live value is still ours, and is
 * left alone elsewhere; both are journalled (docs/decisions/0001-rows-before-queues.md).
 */
export class WriteBackReverter {
  constructor(
    private readonly sites: Sites,
    private readonly writeBacks: WriteBackRepository,
    private readonly links: LinkRepository,
    private readonly log: RowLog = SILENT_LOG,
  ) {}

  /** Throws `not_found` for an unknown id, `conflict` when it is not applied or nothing of it is ours any more. */
  async revert(id: string): Promise<readonly JournalField[]> {
    const row = await this.writeBacks.get(id);
    if (row === null) throw new CodedError('not_found', `no write-back ${id}`);
    if (row.state !== 'applied')
      throw new CodedError('conflict', `write-back ${id} is ${row.state}, not applied`);
    const lease = randomUUID();
    if (!(await this.links.takeForWriting(row.externalId, lease, LEASE_MS))) {
      throw new CodedError('conflict', 'another write-back of the same product is under way');
    }
    try {
      return await this.#revert(this.sites.store(row.store), row);
    } finally {
      await this.links.releaseFromWriting(row.externalId, lease);
    }
  }

  async #revert(store: Store, row: WriteBackEntity): Promise<readonly JournalField[]> {
    const link = await this.links.get(row.externalId);
    if (link === null) throw new CodedError('not_found', `product ${row.externalId} is not known`);
    const namespace = store.settings.writeBack.sections?.namespace ?? namespaceOf(row);
    const live = await store.connector.readLive(link.storeId, namespace);
    const written = row.fields.filter((field) => field.outcome === 'written');
    const targets = written.map((field) => field.target);
    const translations =
      live === null ? null : await readTranslations(store.connector, link.storeId, targets);
    if (live === null || translations === null)
      throw new CodedError('not_found', 'the product was deleted in the store');
    const holds = (field: JournalField, value: string | null): boolean =>
      valueHash(currentValue(field.target, live, translations)) === valueHash(value);
    const ours = written.filter((field) => holds(field, field.after));
    // A revert that was cut off, or the merchant, has put these back already: they are journalled without a write.
    const back = written.filter((field) => !ours.includes(field) && holds(field, field.before));
    if (ours.length + back.length === 0)
      throw new CodedError('conflict', 'none of its fields still holds what it wrote');
    if (ours.length > 0) await this.#restore(store, link, live, ours);
    const restored = new Set([...ours, ...back].map((field) => field.target));
    const fields = row.fields.map((field): JournalField => {
      if (field.outcome !== 'written') return field;
      return restored.has(field.target)
        ? { ...field, outcome: 'reverted', reason: 'its before-image was restored' }
        : {
            ...field,
            outcome: 'not_ours',
            reason: 'left alone: the live value is no longer what was written',
          };
    });
    await this.writeBacks.reverted(
      row.id,
      row.externalId,
      fields,
      writtenAfter(link.written ?? {}, restored),
    );
    const { id, externalId, deliveryId } = row;
    const outcomes = Object.fromEntries(fields.map(({ target, outcome }) => [target, outcome]));
    this.log.info(
      { writeBackId: id, externalId, deliveryId, store: store.key, state: 'reverted', fields: outcomes },
      'write-back reverted',
    );
    return fields;
  }

  async #restore(
    store: Store,
    link: StoreProductEntity,
    live: LiveProduct,
    ours: readonly JournalField[],
  ): Promise<void> {
    const own = ours.filter((field) => placeOfTarget(field.target).locale === null);
    const values: Partial<Record<StoreField, string>> = {};
    for (const field of own) if (isStoreField(field.target)) values[field.target] = field.before ?? '';
    if (Object.keys(values).length > 0) await store.connector.writeFields(link.storeId, values);
    const metafields = own.filter((field) => !isStoreField(field.target));
    const gone = metafields.filter((field) => field.before === null);
    if (gone.length > 0) {
      await store.connector.removeMetafields(
        link.storeId,
        gone.map((field) => {
          const [namespace, key] = namespaceAndKey(field.target);
          return { namespace, key };
        }),
      );
    }
    const back = metafields.filter((field) => field.before !== null);
    if (back.length > 0) await this.#restoreMetafields(store, link, live, back);
    await this.#restoreTranslations(store, link, ours);
  }

  async #restoreMetafields(
    store: Store,
    link: StoreProductEntity,
    live: LiveProduct,
    back: readonly JournalField[],
  ): Promise<void> {
    const outcomes = await store.connector.writeMetafields(
      link.storeId,
      back.map((field) => {
        const [namespace, key] = namespaceAndKey(field.target);
        const current = live.metafields.find((each) => each.namespace === namespace && each.key === key);
        return {
          namespace,
          key,
          type: current?.type ?? field.type ?? 'single_line_text_field',
          value: field.before ?? '',
          expectedDigest: current?.digest ?? null,
        };
      }),
    );
    const refused = outcomes.find((outcome) => outcome.outcome !== 'written');
    if (refused && 'reason' in refused)
      throw new CodedError('conflict', `${refused.namespace}.${refused.key}: ${refused.reason}`);
  }

  /** After the texts that they translate: a translation is registered for the text as it then stands. */
  async #restoreTranslations(
    store: Store,
    link: StoreProductEntity,
    ours: readonly JournalField[],
  ): Promise<void> {
    for (const locale of localesOf(ours.map((field) => field.target))) {
      const translated = ours.flatMap(({ target, before, after }) => {
        const place = placeOfTarget(target);
        return place.locale === locale ? [{ target: place.base, before, after }] : [];
      });
      const gone = translated.flatMap(({ target, before }) => (before === null ? target : []));
      if (gone.length > 0) await store.connector.removeTranslations(link.storeId, locale, gone);
      const back = translated.flatMap(({ target, before, after }) =>
        before === null ? [] : [{ target, value: before, expected: after }],
      );
      if (back.length === 0) continue;
      const outcomes = await store.connector.writeTranslations(link.storeId, locale, back);
      const refused = outcomes.find((outcome) => outcome.outcome !== 'written');
      if (refused && 'reason' in refused)
        throw new CodedError('conflict', `${locale}:${refused.target}: ${refused.reason}`);
    }
  }
}

function namespaceOf(row: WriteBackEntity): string | null {
  const metafield = row.fields.find((field) => field.target.startsWith('metafield:'));
  return metafield ? namespaceAndKey(metafield.target)[0] : null;
}

function writtenAfter(written: WrittenContent, restored: ReadonlySet<string>): WrittenContent {
  return Object.fromEntries(
    Object.entries(written).map(([target, field]) => [
      target,
      restored.has(target) ? afterRevert(field) : field,
    ]),
  );
}
