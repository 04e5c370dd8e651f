import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { SideState } from './side-state.js';

@Entity({ name: 'store_state' })
@Index('store_state_shop_once', ['shopId'], { unique: true, where: 'shop_id IS NOT NULL' })
@Index('store_state_identity_once', ['identity'], { unique: true })
export class StoreStateEntity extends SideState {
  @PrimaryColumn('text') store!: string;
  /** The shop whose rows are kept under this key, as the beginning of its external_ids; null before its first run. */
  @Column('text', { nullable: true }) identity!: string | null;
  /** Latest source time whose work is durable. */
  @Column('timestamptz', { nullable: true }) watermark!: Date | null;
  /** `Store.scope` when the watermark was set: the watermark counts only while it is the same. */
  @Column('text', { nullable: true }) watermarkScope!: string | null;
  /** Only runs of the schedule count: in a busy shop, events cause an incremental run every few seconds. */
  @Column('integer', { default: 0 }) incrementalsSinceFull!: number;
  @Column('timestamptz', { nullable: true }) lastFullAt!: Date | null;
  /** A slot that came due while another run was active. */
  @Column('timestamptz', { nullable: true }) slotDue!: Date | null;
  /** The API version that the store served the newest run in place of the configured one; null when it served that. */
  @Column('text', { nullable: true }) servedVersion!: string | null;
  /** The address that the store's events were last subscribed for. */
  @Column('text', { nullable: true }) eventsAddress!: string | null;
  /** The shop that answered first, and its own address: the same shop elsewhere may be a copy. Null where the configuration names it. */
  @Column('text', { nullable: true }) shopId!: string | null;
  @Column('text', { nullable: true }) shopAddress!: string | null;
}
