import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { oneOf } from './checks.js';

const STATES = ['received', 'processed'] as const;

/** A change that the store reported; a run reads the products that its events name. */
@Entity({ name: 'store_event' })
// The store repeats an event under the same id until it receives an answer.
@Index('store_event_once', ['store', 'eventId'], { unique: true })
@Index('store_event_open', ['store'], { where: "state = 'received'" })
@Index('store_event_by_run', ['runId'])
@Check('store_event_state_check', oneOf('state', STATES))
export class StoreEventEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') store!: string;
  @Column('text') eventId!: string;
  @Column('text') topic!: string;
  @Column('jsonb', { default: {} }) headers!: Record<string, string>;
  @Column('bytea') rawBody!: Buffer;
  @Column('text', { default: 'received' }) state!: (typeof STATES)[number];
  /** The run that read what the event named. */
  @Column('uuid', { nullable: true }) runId!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) receivedAt!: Date;
  @Column('timestamptz', { nullable: true }) settledAt!: Date | null;
}
