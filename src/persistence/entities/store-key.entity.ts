import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The key under which the rows of a shop are kept: rows follow the shop, whatever key the configuration gives it. */
@Entity({ name: 'store_key' })
@Index('store_key_once', ['store'], { unique: true })
export class StoreKeyEntity {
  /** `kind:shop`, the beginning of the external_ids of the shop's products. */
  @PrimaryColumn('text') identity!: string;
  @Column('text') store!: string;
}
