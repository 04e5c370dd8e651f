import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A shop whose data the store asked to erase after its merchant uninstalled the app. The row goes when all of it is erased. */
@Entity({ name: 'shop_redaction' })
export class ShopRedactionEntity {
  @PrimaryColumn('text') shop!: string;
  /** The key that the store had. */
  @Column('text') storeKey!: string;
  @Column('timestamptz', { default: () => 'now()' }) requestedAt!: Date;
}
