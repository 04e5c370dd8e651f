import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { DELIVERY_TRANSITIONS, type DeliveryState } from '../../domain/row-states.js';
import { oneOf } from './checks.js';

const VIA = ['webhook', 'poll'] as const;

@Entity({ name: 'webhook_delivery' })
// The sender repeats a delivery whose acknowledgement it did not receive: one inbox row per delivery.
@Index('webhook_delivery_once', ['workspace', 'dedupeKey'], { unique: true })
@Index('webhook_delivery_due', ['nextAttemptAt'], { where: "state = 'received'" })
@Index('webhook_delivery_by_time', ['receivedAt'])
@Index('webhook_delivery_by_product', ['externalId', 'receivedAt'])
// The gauges count these few rows every few seconds.
@Index('webhook_delivery_set_aside', ['workspace'], { where: oneOf('state', ['parked', 'failed']) })
@Check('webhook_delivery_via_check', oneOf('via', VIA))
@Check('webhook_delivery_state_check', oneOf('state', Object.keys(DELIVERY_TRANSITIONS)))
export class WebhookDeliveryEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') workspace!: string;
  @Column('text') dedupeKey!: string;
  @Column('text') via!: (typeof VIA)[number];
  @Column('text', { default: 'received' }) state!: DeliveryState;
  @Column('jsonb', { default: {} }) headers!: Record<string, string>;
  /** The bytes as they came: what the signature was made over, and what a replay starts from. */
  @Column('bytea') rawBody!: Buffer;
  @Column('text', { nullable: true }) action!: string | null;
  @Column('text', { nullable: true }) externalId!: string | null;
  @Column('text', { nullable: true }) taskId!: string | null;
  /** The outcome, or the reason why it was parked, for people. */
  @Column('text', { nullable: true }) note!: string | null;
  @Column('integer', { default: 0 }) attempts!: number;
  /** Attempts in a row that began and never ended because their worker died. */
  @Column('integer', { default: 0 }) crashCount!: number;
  @Column('timestamptz', { default: () => 'now()' }) nextAttemptAt!: Date;
  /** Token of the worker that interprets it. */
  @Column('text', { nullable: true }) lease!: string | null;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  @Column('timestamptz', { default: () => 'now()' }) receivedAt!: Date;
  @Column('timestamptz', { nullable: true }) settledAt!: Date | null;
}
