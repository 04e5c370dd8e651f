import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { ArrivedPart } from '../../domain/arrived-content.js';
import type { GateFinding } from '../../domain/gate-finding.js';
import { WRITE_BACK_TRANSITIONS, type WriteBackState } from '../../domain/row-states.js';
import type {
  DeclinedField,
  IntendedValue,
  JournalField,
  SentValue,
} from '../../domain/write-back-journal.js';
import type { WriteCap } from '../../domain/write-cap.js';
import type { UsedSource } from '../../domain/used-source.js';
import { oneOf } from './checks.js';

/** The journal of writes to the store: nothing in it is deleted while its product exists. */
@Entity({ name: 'write_back' })
// The same content is applied to a product once, however often its result is reported.
@Index('write_back_applied_once', ['externalId', 'contentFingerprint'], {
  unique: true,
  where: "state = 'applied' AND replaced_at IS NULL",
})
// One row per result: a delivery that is interpreted again finds the row it made before.
@Index('write_back_once_per_delivery', ['deliveryId'], { unique: true, where: 'delivery_id IS NOT NULL' })
@Index('write_back_due', ['nextAttemptAt'], { where: "state = 'ready'" })
@Index('write_back_by_product', ['externalId', 'createdAt'])
@Index('write_back_unmapped', ['store', 'createdAt'], { where: 'unmapped_count > 0' })
@Index('write_back_attempted', ['store', 'attemptedAt'], { where: 'attempted_at IS NOT NULL' })
@Index('write_back_capped', ['store', 'createdAt'], { where: 'capped_by IS NOT NULL' })
@Index('write_back_by_store', ['store', 'state'])
@Index('write_back_credits', ['workspace', 'createdAt'], { where: 'credits_consumed IS NOT NULL' })
@Index('write_back_by_state', ['state', 'createdAt'])
// The order of the journal. TypeORM cannot express it: greatest(created_at, settled_at, reverted_at, decided_at), id.
@Index('write_back_by_last', { synchronize: false })
@Index('write_back_by_run', ['runId'], { where: 'run_id IS NOT NULL' })
@Index('write_back_by_bulk_change', ['bulkChangeId'], { where: 'bulk_change_id IS NOT NULL' })
@Index('write_back_decided', ['decidedBy', 'decidedAt'])
@Check('write_back_state_check', oneOf('state', Object.keys(WRITE_BACK_TRANSITIONS)))
export class WriteBackEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') store!: string;
  @Column('text') workspace!: string;
  @Column('text') externalId!: string;
  /** The external_id of the variant whose own result this is; null for a result of the product. */
  @Column('text', { nullable: true }) variant!: string | null;
  @Column('uuid', { nullable: true }) deliveryId!: string | null;
  @Column('text') contentFingerprint!: string;
  /** When the result came in; never earlier than that of a result of the product that was taken before. */
  @Column('timestamptz') resultAt!: Date;
  /** When it was requested here; null for a result without a request from here. */
  @Column('timestamptz', { nullable: true }) askedAt!: Date | null;
  /** When its generation began by the service's clock, and never later than its receipt; null when that is unknown. */
  @Column('timestamptz', { nullable: true }) datedAt!: Date | null;
  @Column('text') state!: WriteBackState;
  @Column('jsonb') intended!: IntendedValue[];
  @Column('jsonb', { default: {} }) seen!: Record<string, string>;
  /** The values that an attempt is about to send, by target. Stored before they are sent. */
  @Column('jsonb', { default: {} }) sent!: Record<string, SentValue>;
  /** When an attempt last began to send something. */
  @Column('timestamptz', { nullable: true }) attemptedAt!: Date | null;
  /** The limit on writes that a ready row waits for. */
  @Column('text', { nullable: true }) cappedBy!: WriteCap | null;
  @Column('jsonb', { default: [] }) fields!: JournalField[];
  /** Every field and attribute that the result brought, and what is intended for it. */
  @Column('jsonb', { default: [] }) arrived!: ArrivedPart[];
  /** How many of them no setting maps. */
  @Column('integer', { default: 0 }) unmappedCount!: number;
  /** Why gates held it back, the last time that it was judged. */
  @Column('jsonb', { default: [] }) gateFindings!: GateFinding[];
  /** An approval covers fields that the merchant edited. */
  @Column('boolean', { default: false }) overwriteEdits!: boolean;
  /** Hashes of the values that such an approval covers, by target; null: whatever stands there. */
  @Column('jsonb', { nullable: true }) releasedValues!: Record<string, string> | null;
  /** An approval covers texts that a gate holds back. */
  @Column('boolean', { default: false }) passGates!: boolean;
  /** Grows with each change of the intended values, so that a decision can name what it was made on. */
  @Column('integer', { default: 1 }) version!: number;
  /** Fields that a person declined. They are not written. */
  @Column('jsonb', { default: [] }) declined!: DeclinedField[];
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('integer', { default: 0 }) attempts!: number;
  /** Attempts in a row that began and never ended because their worker died. */
  @Column('integer', { default: 0 }) crashCount!: number;
  /** When the writer tries it next; in `pending_review`, when it was held back. */
  @Column('timestamptz', { default: () => 'now()' }) nextAttemptAt!: Date;
  @Column('timestamptz', { default: () => 'now()' }) createdAt!: Date;
  @Column('timestamptz', { nullable: true }) settledAt!: Date | null;
  @Column('timestamptz', { nullable: true }) revertedAt!: Date | null;
  /** When a later write-back of the same content was applied. */
  @Column('timestamptz', { nullable: true }) replacedAt!: Date | null;
  /** The run that asked for the content; null when no run did. */
  @Column('uuid', { nullable: true }) runId!: string | null;
  /** Pages that the service used. */
  @Column('jsonb', { default: [] }) sources!: UsedSource[];
  @Column('double precision', { nullable: true }) creditsConsumed!: number | null;
  /** A person's last decision or edit. */
  @Column('timestamptz', { nullable: true }) decidedAt!: Date | null;
  @Column('text', { nullable: true }) decidedBy!: string | null;
  /** The intended values before the decision, for undo; null when there is nothing to undo. */
  @Column('jsonb', { nullable: true }) intendedBefore!: IntendedValue[] | null;
  /** The bulk change that moved it last. */
  @Column('uuid', { nullable: true }) bulkChangeId!: string | null;
  /** The reverted write-back whose texts this one writes again. */
  @Column('uuid', { nullable: true }) reappliedFrom!: string | null;
}
