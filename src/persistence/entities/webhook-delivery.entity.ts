import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { DeliveryState } from '../../domain/row-states.js';

@Entity({ name: 'webhook_delivery' })
export class WebhookDeliveryEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') workspace!: string;
  @Column('text') dedupeKey!: string;
  @Column('text') via!: 'webhook' | 'poll';
  @Column('text') state!: DeliveryState;
  @Column('jsonb') headers!: Record<string, string>;
  /** The bytes as they came: what the signature was made over, and what a replay starts from. */
  @Column('bytea') rawBody!: Buffer;
  @Column('text', { nullable: true }) action!: string | null;
  @Column('text', { nullable: true }) externalId!: string | null;
  @Column('text', { nullable: true }) taskId!: string | null;
  /** What became of it, or why it was set aside, for people. */
  @Column('text', { nullable: true }) note!: string | null;
  @Column('integer') attempts!: number;
  /** Attempts in a row that began and never ended: their workers died. */
  @Column('integer') unended!: number;
  @Column('timestamptz') nextAttemptAt!: Date;
  @Column('timestamptz') receivedAt!: Date;
  @Column('timestamptz', { nullable: true }) settledAt!: Date | null;
}
