import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { CatalogField } from '../../domain/catalog-product.js';
import { LINK_STATES, type LinkState } from '../../domain/row-states.js';
import type { WithheldIdentifier } from '../../domain/withheld-identifier.js';
import type { WrittenContent } from '../../domain/written-content.js';
import { oneOf } from './checks.js';

/** The link: a store product tied to its catalog product, with what was read, pushed and written. */
@Entity({ name: 'store_product' })
@Index('store_product_by_catalog_id', ['workspace', 'catalogId'])
// The sweep asks for these few rows every minute, and must not read the whole table.
@Index('store_product_pending', ['store'], { where: "state = 'pending'" })
@Index('store_product_generation_due', ['store'], { where: 'generation_due' })
// The counts of all stores are read from this index alone.
@Index('store_product_content', ['store', 'state', 'newestResultAt'])
@Index('store_product_withheld', ['store'], { where: "withheld <> '[]'" })
@Check('store_product_state_check', oneOf('state', LINK_STATES))
export class StoreProductEntity {
  @PrimaryColumn('text') externalId!: string;
  @Column('text') store!: string;
  @Column('text') workspace!: string;
  /** The store's own id, as its connector expects it. */
  @Column('text') storeId!: string;
  @Column('text') label!: string;
  @Column('text', { nullable: true }) handle!: string | null;
  @Column('text') state!: LinkState;
  @Column('text', { nullable: true }) catalogId!: string | null;
  /** Set while the catalog creates the product in the background. */
  @Column('text', { nullable: true }) creationTaskId!: string | null;
  @Column('timestamptz', { nullable: true }) creationStartedAt!: Date | null;
  /** Variant external_id to catalog id. A migration adds the index by catalog id, which has an expression. */
  @Column('jsonb', { default: {} }) variantLinks!: Record<string, string>;
  @Column('text', { nullable: true }) sourceFingerprint!: string | null;
  @Column('jsonb', { default: {} }) pushedFields!: Partial<Record<CatalogField, string>>;
  /** Hashes of what the catalog product held after our last push, by field; null where no answer showed it. */
  @Column('jsonb', { nullable: true }) catalogFields!: Record<string, string> | null;
  /** Hashes of the live writable values at the last push. */
  @Column('jsonb', { default: {} }) seenFields!: Record<string, string>;
  @Column('jsonb', { nullable: true }) written!: WrittenContent | null;
  @Column('jsonb', { default: [] }) withheld!: WithheldIdentifier[];
  @Column('boolean', { default: false }) generationDue!: boolean;
  /** When the newest result that was taken came in. */
  @Column('timestamptz', { nullable: true }) newestResultAt!: Date | null;
  /** When the first one came in. */
  @Column('timestamptz', { nullable: true }) firstResultAt!: Date | null;
  /** Token of the write-back that holds the product. */
  @Column('text', { nullable: true }) writeLease!: string | null;
  @Column('timestamptz', { nullable: true }) writeLeaseUntil!: Date | null;
  @Column('timestamptz', { default: () => 'now()' }) firstSeenAt!: Date;
  @Column('timestamptz', { default: () => 'now()' }) lastSeenAt!: Date;
  @Column('timestamptz', { nullable: true }) orphanedAt!: Date | null;
}
