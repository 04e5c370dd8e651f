import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/**
 * A walk over the catalog's listing of a workspace, which all stores of the workspace share. The three tables are a copy that the next
 * walk writes again, so they are unlogged: a crash of the server empties them.
 */
@Entity({ name: 'catalog_listing' })
// Any number of runs may need the listing at once: one of them reads it, and the others wait for it.
@Index('catalog_listing_one_walk', ['workspace'], { unique: true, where: 'read_at IS NULL' })
export class CatalogListingEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id!: string;
  @Column('text') workspace!: string;
  @Column('text', { nullable: true }) lease!: string | null;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  @Column('timestamptz', { default: () => 'clock_timestamp()' }) startedAt!: Date;
  /** Null while it is read. */
  @Column('timestamptz', { nullable: true }) readAt!: Date | null;
  /** True when as many products were met as the service counts. */
  @Column('boolean', { default: false }) complete!: boolean;
  @Column('integer', { default: 0 }) products!: number;
}

/** A product that the listing showed. */
@Entity({ name: 'catalog_listed' })
@Index('catalog_listed_by_external_id', ['listingId', 'externalId'])
@Index('catalog_listed_unread_variants', ['listingId'], { where: 'hides_variants' })
export class CatalogListedEntity {
  @PrimaryColumn('bigint') listingId!: string;
  @PrimaryColumn('text') catalogId!: string;
  @Column('text', { nullable: true }) externalId!: string | null;
  /** True for a product model of others whose variants have not been looked up. */
  @Column('boolean', { default: false }) hidesVariants!: boolean;
}

/** An identifier of a product or variant, as the catalog showed it. */
@Entity({ name: 'catalog_holder' })
@Index('catalog_holder_by_external_id', ['listingId', 'externalId'])
export class CatalogHolderEntity {
  @PrimaryColumn('bigint') listingId!: string;
  @PrimaryColumn('text') kind!: string;
  /** As it is compared (`foldedIdentifier`). */
  @PrimaryColumn('text') value!: string;
  @PrimaryColumn('text') catalogId!: string;
  @PrimaryColumn('boolean') isVariant!: boolean;
  @Column('text', { nullable: true }) externalId!: string | null;
}
