import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { OWED_CODES, type OwedCode } from '../../domain/owed.js';
import { oneOf } from './checks.js';

/** A product that a run put off: the next run reads it, whatever the watermark says. */
@Entity({ name: 'owed_product' })
@Index('owed_product_by_store', ['store', 'externalId'])
@Check('owed_product_code_check', oneOf('code', OWED_CODES))
export class OwedProductEntity {
  @PrimaryColumn('text') externalId!: string;
  @Column('text') store!: string;
  /** The store's own id, as its connector expects it. */
  @Column('text') storeId!: string;
  @Column('text', { default: '' }) label!: string;
  @Column('text') code!: OwedCode;
  /** The message of the other side, for people. */
  @Column('text', { nullable: true }) detail!: string | null;
  /** Since when it has been owed without interruption, for whatever reasons. */
  @Column('timestamptz', { default: () => 'now()' }) since!: Date;
  /** When the present reason was noted. A plan settles only what was noted before it began. */
  @Column('timestamptz', { default: () => 'now()' }) notedAt!: Date;
}
