import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A lifecycle event for `notifications.events`. Its row is the proof that it was found, so that it is sent to its end once. */
@Entity({ name: 'lifecycle_event' })
@Index('lifecycle_event_unsent', ['nextAttemptAt'], { where: 'settled_at IS NULL' })
@Index('lifecycle_event_settled', ['settledAt'])
@Index('lifecycle_event_of_store', ['store', 'kind', 'at'])
export class LifecycleEventEntity {
  /** Kind and occasion. The receiver finds a repetition by it. */
  @PrimaryColumn('text') id!: string;
  @Column('text') kind!: string;
  /** Key of the store; empty for the row that says since when events are sent. */
  @Column('text') store!: string;
  /** Facts for the receiver. Never a secret or a product's text. */
  @Column('jsonb', { default: {} }) facts!: Record<string, unknown>;
  @Column('timestamptz', { default: () => 'now()' }) at!: Date;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz', { default: () => 'now()' }) nextAttemptAt!: Date;
  /** When the receiver took it, or when it was given up. */
  @Column('timestamptz', { nullable: true }) settledAt!: Date | null;
}
