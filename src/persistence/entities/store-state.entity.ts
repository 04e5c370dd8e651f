import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'store_state' })
export class StoreStateEntity {
  @PrimaryColumn('text') store!: string;
  /** Latest source time whose work is durable. */
  @Column('timestamptz', { nullable: true }) watermark!: Date | null;
  @Column('integer', { default: 0 }) incrementalsSinceFull!: number;
  @Column('timestamptz', { nullable: true }) lastFullAt!: Date | null;
  /** A slot that came due while another run was active. */
  @Column('timestamptz', { nullable: true }) slotDue!: Date | null;
}
