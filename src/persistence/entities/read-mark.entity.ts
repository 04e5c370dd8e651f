import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A read of a product with this mark was compared with this revision of the product, and was found unchanged. It need not be parsed. */
@Entity({ name: 'read_mark' })
export class ReadMarkEntity {
  @PrimaryColumn('text') externalId!: string;
  @Column('text') store!: string;
  @Column('bigint') revision!: string;
  @Column('text') mark!: string;
}
