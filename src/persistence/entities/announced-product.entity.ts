import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A product that an event of its store named, or that a write-back did not find in its store. The next run that begins to read owes it. It
 * has a table of its own, because a run that is under way removes the owed row of a product that it brings in, and has not seen what was
 * announced.
 */
@Entity({ name: 'announced_product' })
@Index('announced_product_by_store', ['store', 'announcedAt'])
export class AnnouncedProductEntity {
  @PrimaryColumn('text') externalId!: string;
  @Column('text') store!: string;
  /** The store's own id, as its connector expects it. */
  @Column('text') storeId!: string;
  /** When it was announced last. */
  @Column('timestamptz', { default: () => 'now()' }) announcedAt!: Date;
}
