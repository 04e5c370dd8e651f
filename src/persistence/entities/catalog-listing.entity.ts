import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/**
 * A walk over the catalog's listing of a workspace, which all stores of the workspace share. Both tables are a copy that the next
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
  /** True when as many products were listed as the service counts. */
  @Column('boolean', { default: false }) complete!: boolean;
  @Column('integer', { default: 0 }) products!: number;
  /** True when a dry run has read it and only dry runs have used it. The last of them removes it. */
  @Column('boolean', { default: false }) ofDryRuns!: boolean;
}

/** What the listing showed: one row for each product, of the kind `product` with its catalog id, and one for each identifier. */
@Entity({ name: 'catalog_listed' })
@Index('catalog_listed_by_external_id', ['listingId', 'externalId'])
@Index('catalog_listed_unread_variants', ['listingId'], { where: 'hides_variants' })
export class CatalogListedEntity {
  @PrimaryColumn('bigint') listingId!: string;
  /** `product`, or the kind of an identifier. */
  @PrimaryColumn('text') kind!: string;
  /** The catalog id of a product; an identifier as it is compared (`foldedIdentifier`). */
  @PrimaryColumn('text') value!: string;
  /** The id of the product or variant. */
  @PrimaryColumn('text') catalogId!: string;
  @PrimaryColumn('boolean') isVariant!: boolean;
  @Column('text', { nullable: true }) externalId!: string | null;
  /** True for a product model of others whose variants have not been looked up. */
  @Column('boolean', { default: false }) hidesVariants!: boolean;
}
