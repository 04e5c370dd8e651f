import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { RunCounts } from '../../domain/run-counts.js';
import type { RunState } from '../../domain/row-states.js';

export type RunKind = 'full' | 'incremental';
export type RunTrigger = 'schedule' | 'command' | 'api' | 'event' | 'reconcile';
/** What a resumed run does next: read the store and plan, carry out the stored plan, or nothing. */
export type RunPhase = 'extract' | 'apply' | 'done';

@Entity({ name: 'sync_run' })
export class SyncRunEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') store!: string;
  @Column('text') workspace!: string;
  @Column('text') kind!: RunKind;
  @Column('text') trigger!: RunTrigger;
  /** The tick of the schedule that asked for it. */
  @Column('timestamptz', { nullable: true }) slot!: Date | null;
  @Column('boolean') force!: boolean;
  @Column('text') state!: RunState;
  @Column('text') phase!: RunPhase;
  /** Handle of the store's export, stored before it is awaited, so that a restarted process adopts it. */
  @Column('text', { nullable: true }) operation!: string | null;
  /** Start of the read, the next watermark. */
  @Column('timestamptz', { nullable: true }) readFrom!: Date | null;
  @Column('jsonb') counts!: Partial<RunCounts>;
  @Column('text', { nullable: true }) error!: string | null;
  @Column('text', { nullable: true }) errorCode!: string | null;
  @Column('integer') attempts!: number;
  /** Attempts in a row that began and never ended: their workers died. */
  @Column('integer') unended!: number;
  /** Id of the last action that was begun: one up to it that is still planned may have been carried out. */
  @Column('bigint') begunTo!: string;
  @Column('timestamptz', { nullable: true }) retryAt!: Date | null;
  @Column('timestamptz') createdAt!: Date;
  @Column('timestamptz', { nullable: true }) startedAt!: Date | null;
  @Column('timestamptz', { nullable: true }) finishedAt!: Date | null;
}
