import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { oneOf } from './checks.js';

const ANNOUNCED = ['nothing', 'begun', 'ended'] as const;

/** How much of a condition people were notified of. */
export type AnnouncedPhase = (typeof ANNOUNCED)[number];

/** A condition that people are notified of when it begins and when it ends. */
@Entity({ name: 'notification' })
// A condition that lasts is one row, whoever notices it and however often.
@Index('notification_one_open', ['kind', 'subject'], { unique: true, where: 'ended_at IS NULL' })
@Index('notification_unannounced', ['nextAttemptAt'], {
  where: "announced = 'nothing' OR (announced = 'begun' AND ended_at IS NOT NULL)",
})
@Check('notification_announced_check', oneOf('announced', ANNOUNCED))
export class NotificationEntity {
  /** A bigint: text in JavaScript. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id!: string;
  @Column('text') kind!: string;
  /** Key of the store or workspace; which of the two follows from the kind. */
  @Column('text') subject!: string;
  /** Further facts for the message. Never a secret or a product's text. */
  @Column('jsonb', { default: {} }) facts!: Record<string, unknown>;
  @Column('timestamptz') since!: Date;
  /** When a process last found that it holds, to the minute. */
  @Column('timestamptz', { default: () => 'now()' }) seenAt!: Date;
  @Column('timestamptz', { nullable: true }) endedAt!: Date | null;
  @Column('text', { default: 'nothing' }) announced!: AnnouncedPhase;
  @Column('integer', { default: 0 }) attempts!: number;
  @Column('timestamptz', { default: () => 'now()' }) nextAttemptAt!: Date;
  /** Token of the process that sends the message. */
  @Column('text', { nullable: true }) lease!: string | null;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
}
