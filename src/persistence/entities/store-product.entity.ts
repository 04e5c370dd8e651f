import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CatalogField } from '../../domain/catalog-product.js';
import type { LinkState } from '../../domain/row-states.js';
import type { WrittenContent } from '../../domain/written-content.js';
import type { WithheldIdentifier } from '../../domain/withheld-identifier.js';

/** The link: a store product tied to its catalog product, with what was read, pushed and written (design section 2). */
@Entity({ name: 'store_product' })
export class StoreProductEntity {
  @PrimaryColumn('text') externalId!: string;
  @Column('text') store!: string;
  @Column('text') workspace!: string;
  /** The store's own id, as its connector wants it. */
  @Column('text') storeId!: string;
  @Column('text') label!: string;
  @Column('text', { nullable: true }) handle!: string | null;
  @Column('text') state!: LinkState;
  @Column('text', { nullable: true }) catalogId!: string | null;
  /** Set while the catalog creates the product in the background. */
  @Column('text', { nullable: true }) creationTaskId!: string | null;
  @Column('timestamptz', { nullable: true }) creationStartedAt!: Date | null;
  /** Variant external_id to catalog id. */
  @Column('jsonb') variantLinks!: Record<string, string>;
  @Column('text', { nullable: true }) sourceFingerprint!: string | null;
  @Column('jsonb') pushedFields!: Partial<Record<CatalogField, string>>;
  /** Hashes of the live writable values at the last push. */
  @Column('jsonb') seenFields!: Record<string, string>;
  @Column('jsonb', { nullable: true }) written!: WrittenContent | null;
  @Column('jsonb') withheld!: WithheldIdentifier[];
  @Column('boolean') generationDue!: boolean;
  /** Creation time of the newest task whose result was taken; older results never overwrite it. */
  @Column('timestamptz', { nullable: true }) newestResultAt!: Date | null;
  @Column('timestamptz') firstSeenAt!: Date;
  @Column('timestamptz') lastSeenAt!: Date;
  @Column('timestamptz', { nullable: true }) orphanedAt!: Date | null;
}
