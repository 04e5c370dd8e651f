import type { CatalogField } from '../domain/catalog-product.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { Injectable } from '@nestjs/common';
import { In, IsNull, MoreThan, Not, type FindOptionsWhere, type QueryRunner } from 'typeorm';
import { json, Database } from './database.js';
import { OwedProductEntity } from './entities/owed-product.entity.js';
import { StoreProductEntity } from './entities/store-product.entity.js';
import { SyncActionEntity } from './entities/sync-action.entity.js';
import { heldAfterLink } from './held-identifiers.js';
import { LEASE } from './leased-rows.js';
import { idRow, rowOf } from './rows.js';
import { noteOwed } from './owed.repository.js';

const productRow = rowOf(StoreProductEntity);

/** The service may begin to generate as soon as it has a value, and so before its answer ends the action. */
const REQUEST_MS = 60_000;

/** A catalog product whose source no longer exists. */
export type GoneProduct = Pick<StoreProductEntity, 'externalId' | 'label' | 'catalogId' | 'orphanedAt'>;

/**
 * Links: store products tied to their catalog products.
 *
 * SQL: each write is guarded by the state or the lease of the link, by the clock of the database.
 */
@Injectable()
export class LinkRepository {
  constructor(private readonly db: Database) {}

  async get(externalId: string): Promise<StoreProductEntity | null> {
    return this.db.repository(StoreProductEntity).findOneBy({ externalId });
  }

  /** The product that has this catalog id; one that is still in its store goes before an orphaned one. */
  async byCatalogId(workspace: string, catalogId: string): Promise<StoreProductEntity | null> {
    return this.db
      .repository(StoreProductEntity)
      .createQueryBuilder('product')
      .where({ workspace, catalogId })
      .orderBy("product.state = 'orphaned'")
      .limit(1)
      .getOne();
  }

  /** The linked products with these catalog ids, orphans left out. */
  async byCatalogIds(workspace: string, catalogIds: readonly string[]): Promise<StoreProductEntity[]> {
    return this.db
      .repository(StoreProductEntity)
      .findBy({ workspace, catalogId: In(catalogIds), state: Not('orphaned') });
  }

  /** The product one of whose variants has this catalog id. */
  async byVariantCatalogId(workspace: string, catalogId: string): Promise<StoreProductEntity | null> {
    return this.db.readOne(
      productRow,
      // SQL: the index is on an expression over the values of a JSON object.
      `SELECT * FROM store_product WHERE workspace = $1 AND variant_links <> '{}' AND catalog_id IS NOT NULL
         AND jsonb_path_query_array(variant_links, '$.*') @> jsonb_build_array($2::text)
       ORDER BY state = 'orphaned' LIMIT 1`,
      [workspace, catalogId],
    );
  }

  /**
   * Hashes of the store's values that the catalog had at a time. A text whose generation began then is based on these, and not on
   * values that reached the catalog later: the merchant may have written those meanwhile.
   */
  async seenWhen(
    { externalId, seenFields }: Pick<StoreProductEntity, 'externalId' | 'seenFields'>,
    at: Date,
  ): Promise<Record<string, string>> {
    const until = new Date(at.getTime() + REQUEST_MS);
    const [row] = await this.db
      .repository(SyncActionEntity)
      .createQueryBuilder('action')
      .where({ externalId, state: 'applied', kind: Not('orphan') })
      // The last one until then. A product that the catalog got from elsewhere may have none: then the first.
      .orderBy('action.settled_at > :until')
      .addOrderBy('CASE WHEN action.settled_at <= :until THEN action.settled_at END', 'DESC')
      .addOrderBy('action.settled_at')
      .setParameters({ until })
      .limit(1)
      .getMany();
    return row?.seen ?? seenFields;
  }

  /** The catalog product's content at the last read. A later read compares with it to detect a new result. */
  async sawCatalogFields(
    externalId: string,
    fields: Readonly<Record<string, string>>,
    runner?: QueryRunner,
  ): Promise<void> {
    await this.db.affected(
      'UPDATE store_product SET catalog_fields = $2 WHERE external_id = $1',
      [externalId, json(fields)],
      runner,
    );
  }

  /**
   * The link's catalog product belongs to another system: the link is lost, and the product is owed, so that the next run judges it
   * anew. Its open request was about the other's product. Does nothing when the link has moved meanwhile.
   */
  async lostToAnother(
    { externalId, catalogId }: Pick<StoreProductEntity, 'externalId' | 'catalogId'>,
    reason: string,
  ): Promise<void> {
    await this.db.affected(
      `WITH lost AS (
         UPDATE store_product SET catalog_id = NULL, variant_links = '{}', pushed_fields = '{}', catalog_fields = NULL
         WHERE external_id = $1 AND catalog_id = $2 AND state <> 'orphaned' RETURNING external_id, store, store_id, label
       ), given_up AS (
         UPDATE generation_task AS task SET state = 'abandoned', settled_at = now(), reason = $3
         FROM lost WHERE task.external_id = lost.external_id AND task.state = 'requested'
       )
       ${noteOwed(`SELECT external_id, store, store_id, label, 'taken_over', $3 FROM lost`)}`,
      [externalId, catalogId, reason],
    );
  }

  /** Products that the workspace's catalog creates in the background. */
  async pending(store: string, workspace: string): Promise<StoreProductEntity[]> {
    return this.db.repository(StoreProductEntity).find({
      where: { store, workspace, state: 'pending', creationTaskId: Not(IsNull()) },
      order: { creationStartedAt: 'ASC' },
    });
  }

  /** Stores with background creations that no run follows. */
  async storesWithAbandonedCreations(): Promise<string[]> {
    return this.db.texts(
      // SQL: the same for all stores in one look, by the index of the few pending rows.
      `SELECT DISTINCT store FROM store_product AS product WHERE state = 'pending' AND creation_task_id IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM sync_run WHERE sync_run.store = product.store AND state IN ('queued', 'running'))`,
    );
  }

  /**
   * The background creation succeeded, and the product was found in the catalog. The product is no longer owed for it, unless `missing`
   * names fields that the creation left out. A change that was read meanwhile stays owed.
   */
  async linkCreated(
    externalId: string,
    catalogId: string,
    variantLinks: Readonly<Record<string, string>>,
    missing: readonly CatalogField[] = [],
  ): Promise<boolean> {
    const linked = await this.db.readOne(
      idRow,
      // SQL: what follows from the link happens where it was made, and with it.
      `WITH linked AS (
         UPDATE store_product SET state = CASE WHEN withheld = '[]' THEN 'linked' ELSE 'conflicted' END, catalog_id = $2,
           creation_task_id = NULL, variant_links = variant_links || $3::jsonb, pushed_fields = pushed_fields - $4::text[]
         WHERE external_id = $1 AND state = 'pending' RETURNING external_id, store, withheld
       ), brought_in AS (
         DELETE FROM owed_product AS owed USING linked WHERE owed.external_id = linked.external_id
           AND cardinality($4::text[]) = 0 AND code = 'being_created'
       ), incomplete AS (
         UPDATE owed_product AS owed SET code = 'without_identifiers', detail = NULL, noted_at = now() FROM linked
         WHERE owed.external_id = linked.external_id AND cardinality($4::text[]) > 0 AND code = 'being_created'
       ), held AS (
         ${heldAfterLink} AND cardinality($4::text[]) = 0
       )
       SELECT external_id AS id FROM linked`,
      [externalId, catalogId, json(variantLinks), missing],
    );
    return linked !== null;
  }

  /** Lets a run read the product soon, as after an event of its store. Does nothing for one that is known to be gone. */
  async announceGone(externalId: string): Promise<void> {
    await this.db.affected(
      `INSERT INTO announced_product (external_id, store, store_id)
       SELECT external_id, store, store_id FROM store_product WHERE external_id = $1 AND state <> 'orphaned'
       ON CONFLICT (external_id) DO UPDATE SET store = excluded.store, store_id = excluded.store_id, announced_at = now()`,
      [externalId],
    );
  }

  /** True for a product that left its store while the catalog was creating it. */
  async hasLeft(externalId: string): Promise<boolean> {
    return this.db.repository(OwedProductEntity).existsBy({ externalId, code: 'left_while_created' });
  }

  /** Records that the fields which a creation left out were sent afterwards. Identifiers that the catalog refused are withheld. */
  async completed(
    externalId: string,
    withheld: readonly WithheldIdentifier[],
    pushedFields: StoreProductEntity['pushedFields'],
  ): Promise<void> {
    await this.db.affected(
      `WITH linked AS (
         UPDATE store_product SET withheld = $2::jsonb, pushed_fields = $3,
           state = CASE WHEN $2::jsonb = '[]' THEN 'linked' ELSE 'conflicted' END
         WHERE external_id = $1 AND state IN ('linked', 'conflicted') RETURNING external_id, store, withheld
       ), held AS (${heldAfterLink})
       DELETE FROM owed_product AS owed USING linked
       WHERE owed.external_id = linked.external_id AND code = 'without_identifiers'`,
      [externalId, json(withheld), json(pushedFields)],
    );
  }

  /**
   * The background creation failed: the product is owed, and the next run creates it again. A product that another worker linked
   * meanwhile, or that is being created anew, is left as it is.
   */
  async creationFailed(externalId: string, taskId: string | null, reason: string): Promise<void> {
    await this.db.transaction(async (runner) => {
      // A product that was written to before keeps its link. Only the reference to the failed creation is removed.
      const pending = await this.db.affected(
        `UPDATE store_product SET creation_task_id = NULL, creation_started_at = NULL
         WHERE external_id = $1 AND state = 'pending' AND creation_task_id IS NOT DISTINCT FROM $2`,
        [externalId, taskId],
        runner,
      );
      if (pending === 0) return;
      await this.db.affected(
        `DELETE FROM store_product WHERE external_id = $1 AND state = 'pending' AND written IS NULL`,
        [externalId],
        runner,
      );
      await this.db.affected(
        `WITH failed AS (
           UPDATE sync_action SET state = 'failed', error = $2, settled_at = now()
           WHERE id = (SELECT max(id) FROM sync_action WHERE external_id = $1 AND state NOT IN ('draft', 'dropped')) AND state = 'applied' RETURNING *
         )
         ${noteOwed(`SELECT external_id, store, store_id, label, 'creation_failed', $3 FROM failed`)}`,
        [externalId, json({ code: 'invalid', message: reason }), reason],
        runner,
      );
    });
  }

  /** Products linked in the workspace whose generation is wanted and not asked for yet, oldest first. */
  async generationDue(store: string, workspace: string, limit: number): Promise<StoreProductEntity[]> {
    return this.db.read(
      productRow,
      // SQL: `NOT EXISTS` on the tasks, beside the partial index of what is due.
      `SELECT product.* FROM store_product AS product
       WHERE store = $1 AND workspace = $2 AND ${GENERATION_DUE} AND NOT EXISTS (SELECT 1 FROM generation_task AS task
           WHERE task.external_id = product.external_id AND task.state = 'requested')
       ORDER BY last_seen_at, external_id LIMIT $3`,
      [store, workspace, limit],
    );
  }

  /** Products whose generation is wanted and not asked for yet, without the given ones. */
  async countGenerationDue(store: string, without: readonly string[]): Promise<number> {
    return this.db.count(
      // SQL: `NOT EXISTS` on the tasks, beside the partial index of what is due.
      `SELECT count(*) FROM store_product AS product
       WHERE store = $1 AND ${GENERATION_DUE} AND external_id <> ALL($2) AND NOT EXISTS (SELECT 1 FROM generation_task AS task
           WHERE task.external_id = product.external_id AND task.state = 'requested')`,
      [store, without],
    );
  }

  async generationDueAgain(externalId: string): Promise<void> {
    await this.db.repository(StoreProductEntity).update({ externalId }, { generationDue: true });
  }

  /** Takes the product for one write-back at a time. False while another holds it. */
  async takeForWriting(externalId: string, lease: string): Promise<boolean> {
    return this.db.moves(
      `UPDATE store_product SET write_lease = $2, write_lease_until = now() + ${LEASE}
       WHERE external_id = $1 AND (write_lease IS NULL OR write_lease = $2 OR write_lease_until < now())`,
      [externalId, lease],
    );
  }

  /** Called while the write-back goes on. False when the lease went to another worker, which keeps it. */
  async keepForWriting(externalId: string, lease: string): Promise<boolean> {
    return this.db.moves(
      `UPDATE store_product SET write_lease_until = now() + ${LEASE}
       WHERE external_id = $1 AND write_lease = $2`,
      [externalId, lease],
    );
  }

  async releaseFromWriting(externalId: string, lease: string): Promise<void> {
    await this.db.affected(
      `UPDATE store_product SET write_lease = NULL, write_lease_until = NULL WHERE external_id = $1 AND write_lease = $2`,
      [externalId, lease],
    );
  }

  /** Products whose source is gone and whose catalog product stands, in order, after the given one. */
  async gone(store: string, after: string, limit: number): Promise<GoneProduct[]> {
    return this.db.repository(StoreProductEntity).find({
      select: { externalId: true, label: true, catalogId: true, orphanedAt: true },
      where: { ...goneFrom(store), externalId: MoreThan(after) },
      order: { externalId: 'ASC' },
      take: limit,
    });
  }

  async countGone(store: string): Promise<number> {
    return this.db.repository(StoreProductEntity).countBy(goneFrom(store));
  }
}

/** A product in the catalog and in its store whose content is wanted. */
export const GENERATION_DUE = `generation_due AND catalog_id IS NOT NULL AND state IN ('linked', 'conflicted') AND NOT EXISTS (
  SELECT 1 FROM owed_product AS owed WHERE owed.external_id = product.external_id AND owed.code = 'left_while_created')`;

function goneFrom(store: string): FindOptionsWhere<StoreProductEntity> {
  return { store, state: 'orphaned', catalogId: Not(IsNull()) };
}
