import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { oneOf } from './checks.js';

const STATES = ['received', 'processed'] as const;

/** A change that the store reported; a run reads the products that its events name. */
@Entity({ name: 'store_event' })
// The store repeats an event under the same id until it receives an answer.
@Index('store_event_once', ['store', 'eventId'], { unique: true })
// The signature covers only the body: an event that is replayed under another id has the same one.
@Index('store_event_body_once', ['store', 'bodySha256'], { unique: true })
@Index('store_event_open', ['store'], { where: "state = 'received'" })
@Index('store_event_by_run', ['runId'])
@Check('store_event_state_check', oneOf('state', STATES))
export class StoreEventEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') store!: string;
  @Column('text') eventId!: string;
  /** Of the body as it was signed; null in rows of releases before this column. */
  @Column('bytea', { name: 'body_sha256', nullable: true }) bodySha256!: Buffer | null;
  @Column('text') topic!: string;
  @Column('jsonb', { default: {} }) headers!: Record<string, string>;
  @Column('bytea') rawBody!: Buffer;
  @Column('text', { default: 'received' }) state!: (typeof STATES)[number];
  /** The run that read what the event named. */
  @Column('uuid', { nullable: true }) runId!: string | null;
  @Column('timestamptz', { default: () => 'now()' }) receivedAt!: Date;
  @Column('timestamptz', { nullable: true }) settledAt!: Date | null;
}
