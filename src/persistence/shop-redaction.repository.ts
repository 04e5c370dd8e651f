import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { z } from 'zod';
import { Database } from './database.js';
import { StoreInstallationEntity } from './entities/store-installation.entity.js';
import { FORGOTTEN } from './store-installation.repository.js';

const TO_ERASE = 'erasure_asked_at IS NOT NULL AND uninstalled_at IS NOT NULL';

const requestRow = z.object({ gone: z.boolean() });

/** The tables with rows of a store, and the condition for those rows: `$1` is its key, `$2` the beginning of its external_ids. */
const RULES: readonly { readonly table: string; readonly condition: string }[] = [
  ...[
    // First: a shop that is installed again meanwhile has no watermark, so that all of it is read again.
    'store_state',
    'write_back',
    'sync_action',
    'sync_run',
    'generation_task',
    'owed_product',
    'announced_product',
    'product_identifier',
    'store_product',
    'report',
    'lifecycle_event',
  ].map((table) => ({ table, condition: 'store = $1 AND $2::text IS NOT NULL' })),
  { table: 'webhook_delivery', condition: 'starts_with(external_id, $2) AND $1::text IS NOT NULL' },
  { table: 'bulk_change', condition: `filter ->> 'store' = $1 AND $2::text IS NOT NULL` },
  { table: 'notification', condition: 'subject = $1 AND $2::text IS NOT NULL' },
];

/**
 * The shops whose data has to be erased, and the erasing.
 *
 * SQL: the statements guard against a shop that was installed again, and remove rows of any table in steps.
 */
@Injectable()
export class ShopRedactionRepository {
  constructor(private readonly db: Database) {}

  /**
   * Keeps the request, and adds a row to the audit record. A shop that uninstalled the app counts as forgotten at once; `check`: the shop
   * counts as installed, which has to be checked before anything is erased, as its uninstall event may be lost. `none`: nothing is known of
   * the shop.
   */
  async request(shop: string): Promise<'erase' | 'check' | 'none'> {
    const row = await this.db.readOne(
      requestRow,
      // SQL: one statement, so that no request is kept without its row in the audit record.
      `WITH kept AS (UPDATE store_installation SET erasure_asked_at = coalesce(erasure_asked_at, now()) WHERE shop = $1
         RETURNING shop, store_key, uninstalled_at IS NOT NULL AS gone),
       audited AS (INSERT INTO audit_entry (actor, via, what, targets, outcome)
         SELECT shop, 'store', 'erasure request', jsonb_build_array(store_key), 'done' FROM kept)
       SELECT gone FROM kept`,
      [shop],
    );
    return row === null ? 'none' : row.gone ? 'erase' : 'check';
  }

  /** The installations with a request. One that was installed again since has none. */
  async open(): Promise<StoreInstallationEntity[]> {
    return this.db
      .repository(StoreInstallationEntity)
      .find({ where: { erasureAskedAt: Not(IsNull()) }, order: { erasureAskedAt: 'ASC' } });
  }

  /** Ends a request without erasing the shop's rows. An installation that has ended is forgotten all the same. */
  async drop(shop: string): Promise<void> {
    const installations = this.db.repository(StoreInstallationEntity);
    await installations.delete({ shop, uninstalledAt: Not(IsNull()) });
    await installations.update({ shop }, { erasureAskedAt: null });
  }

  /** Ends the installation of a shop that the store no longer knows, unless it was installed again after the request. */
  async confirm(shop: string): Promise<void> {
    await this.db.affected(
      `UPDATE store_installation SET ${FORGOTTEN} WHERE shop = $1 AND erasure_asked_at IS NOT NULL`,
      [shop],
    );
  }

  /** Erases up to `limit` rows of one table. `identity`: the beginning of the shop's external_ids. Returns how many there were; 0 when nothing is left. */
  async erase(
    { storeKey }: Pick<StoreInstallationEntity, 'storeKey'>,
    identity: string,
    limit: number,
  ): Promise<number> {
    for (const { table, condition } of RULES) {
      // SQL: any table, by the physical place of its rows.
      const erased = await this.db.affected(
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY (SELECT ctid FROM ${table} WHERE ${condition}
           AND EXISTS (SELECT FROM store_installation WHERE store_key = $1 AND ${TO_ERASE}) LIMIT $3))`,
        [storeKey, `${identity}:`, limit],
      );
      if (erased > 0) return erased;
    }
    return 0;
  }

  /** Ends a request, with its row in the audit record. `rows`: how many this process erased. False when it was installed again meanwhile. */
  async end(shop: string, rows: number): Promise<boolean> {
    // SQL: the replica that ends the request adds the row.
    return this.db.moves(
      `WITH ended AS (DELETE FROM store_installation WHERE shop = $1 AND ${TO_ERASE} RETURNING shop, store_key)
       INSERT INTO audit_entry (actor, via, what, targets, details, outcome)
         SELECT shop, 'store', 'erasure', jsonb_build_array(store_key), jsonb_build_object('rows', $2::int), 'done' FROM ended`,
      [shop, rows],
    );
  }
}
