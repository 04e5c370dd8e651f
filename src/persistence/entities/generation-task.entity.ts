import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { TaskState } from '../../domain/row-states.js';

@Entity({ name: 'generation_task' })
export class GenerationTaskEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') store!: string;
  @Column('text') workspace!: string;
  @Column('text') externalId!: string;
  @Column('text') catalogId!: string;
  @Column('uuid', { nullable: true }) runId!: string | null;
  @Column('text') state!: TaskState;
  /** The service's task id, once its answer named one. */
  @Column('text', { nullable: true }) taskId!: string | null;
  /** True when the id is the request's, not the product's own, so that a delivery may name another. */
  @Column('boolean') taskIsShared!: boolean;
  @Column('text', { nullable: true }) sourceFingerprint!: string | null;
  /** Hashes of the live writable values that the request was made from. */
  @Column('jsonb') seen!: Record<string, string>;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('integer') polls!: number;
  @Column('timestamptz') requestedAt!: Date;
  /** Null while the outcome of the call is unknown. */
  @Column('timestamptz', { nullable: true }) answeredAt!: Date | null;
  @Column('timestamptz') nextPollAt!: Date;
  @Column('timestamptz', { nullable: true }) settledAt!: Date | null;
  @Column('text', { nullable: true }) settledBy!: 'webhook' | 'poll' | null;
}
