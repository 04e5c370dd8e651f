import type { PauseCode, PauseScope } from '../../domain/store-health.js';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

@Entity({ name: 'store_state' })
@Index('store_state_shop_once', ['shopId'], { unique: true, where: 'shop_id IS NOT NULL' })
@Index('store_state_identity_once', ['identity'], { unique: true })
export class StoreStateEntity {
  @PrimaryColumn('text') store!: string;
  /** The shop whose rows are kept under this key, as the beginning of its external_ids; null before its first run. */
  @Column('text', { nullable: true }) identity!: string | null;
  /** Latest source time whose work is durable. */
  @Column('timestamptz', { nullable: true }) watermark!: Date | null;
  @Column('integer', { default: 0 }) incrementalsSinceFull!: number;
  @Column('timestamptz', { nullable: true }) lastFullAt!: Date | null;
  /** A slot that came due while another run was active. */
  @Column('timestamptz', { nullable: true }) slotDue!: Date | null;
  /** The part of the store's work that is paused, `everything` or `writes`; null while it works. */
  @Column('text', { nullable: true }) pausedScope!: PauseScope | null;
  @Column('text', { nullable: true }) pausedCode!: PauseCode | null;
  /** A sentence for people. */
  @Column('text', { nullable: true }) pausedReason!: string | null;
  @Column('timestamptz', { nullable: true }) pausedSince!: Date | null;
  /** Until then nothing tries the store by itself. */
  @Column('timestamptz', { nullable: true }) pausedUntil!: Date | null;
  /** The API version that the store served the newest run in place of the configured one; null when it served that. */
  @Column('text', { nullable: true }) servedVersion!: string | null;
  /** The address that the store's events were last subscribed for. */
  @Column('text', { nullable: true }) eventsAddress!: string | null;
  /** The shop that answered first, and its own address: the same shop elsewhere may be a copy. Null where the configuration names it. */
  @Column('text', { nullable: true }) shopId!: string | null;
  @Column('text', { nullable: true }) shopAddress!: string | null;
  /** How often in a row it was refused. */
  @Column('integer', { default: 0 }) pauses!: number;
  /** Since when the side has not answered; null while it answers. */
  @Column('timestamptz', { nullable: true }) silentSince!: Date | null;
}
