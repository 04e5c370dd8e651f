import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { TASK_TRANSITIONS, type TaskState } from '../../domain/row-states.js';
import { oneOf } from './checks.js';

@Entity({ name: 'generation_task' })
// Asking twice costs credits twice: one open task per product, whoever asks.
@Index('generation_task_one_open', ['externalId'], { unique: true, where: "state = 'requested'" })
@Index('generation_task_due', ['nextPollAt'], { where: "state = 'requested'" })
@Index('generation_task_by_product', ['externalId', 'requestedAt'])
@Index('generation_task_by_task', ['workspace', 'taskId'])
@Index('generation_task_by_store', ['store', 'state'])
@Check('generation_task_state_check', oneOf('state', Object.keys(TASK_TRANSITIONS)))
export class GenerationTaskEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') store!: string;
  @Column('text') workspace!: string;
  @Column('text') externalId!: string;
  @Column('text') catalogId!: string;
  @Column('uuid', { nullable: true }) runId!: string | null;
  @Column('text', { default: 'requested' }) state!: TaskState;
  /** The service's task id, once its answer named one. */
  @Column('text', { nullable: true }) taskId!: string | null;
  /** True when the id is the request's, not the product's own, so that a delivery may name another. */
  @Column('boolean', { default: false }) taskIsShared!: boolean;
  /** Hashes of the live writable values that the request was made from. */
  @Column('jsonb', { default: {} }) seen!: Record<string, string>;
  /** Hashes of what the catalog product held when the request was made, by field; null where that is not known. */
  @Column('jsonb', { nullable: true }) askedFields!: Record<string, string> | null;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('integer', { default: 0 }) polls!: number;
  @Column('timestamptz', { default: () => 'now()' }) requestedAt!: Date;
  /** Null while the outcome of the call is unknown. */
  @Column('timestamptz', { nullable: true }) answeredAt!: Date | null;
  @Column('timestamptz') nextPollAt!: Date;
  @Column('timestamptz', { nullable: true }) settledAt!: Date | null;
  @Column('text', { nullable: true }) settledBy!: 'webhook' | 'poll' | null;
}
