import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { RunCounts } from '../../domain/run-counts.js';
import { RUN_TRANSITIONS, type RunState } from '../../domain/row-states.js';
import { oneOf } from './checks.js';

export const RUN_KINDS = ['full', 'incremental'] as const;
const RUN_PHASES = ['extract', 'apply'] as const;
/** The steps of a run, in order. A run that is resumed repeats some. */
export const RUN_STEPS = ['export', 'plan', 'apply', 'creations', 'generation'] as const;
export type RunStep = (typeof RUN_STEPS)[number];

/** A step lasts until the next one begins, or until the run ends. */
export interface StepStart {
  readonly step: RunStep;
  /** ISO 8601, by the worker's clock. */
  readonly startedAt: string;
}

/** The requests that a run made to each side, repeated ones included. */
export interface RunRequests {
  readonly catalog: number;
  readonly store: number;
}

/** The `errorCode` of a run that a share limit stopped before anything was applied. */
export const STOPPED_BY_LIMIT = 'limit';

export type RunKind = (typeof RUN_KINDS)[number];
export type RunTrigger = 'schedule' | 'command' | 'api' | 'event' | 'reconcile';
/** The next phase of a resumed run: read the store and plan, or carry out the stored plan. */
export type RunPhase = (typeof RUN_PHASES)[number];

/** What is known of a plan that was kept for review. */
export interface SavedPlan {
  /** Empty until the plan is made. */
  readonly counts: Partial<PlanCounts>;
  readonly entries: number;
  /** Why absence proved nothing, where the read was not complete. */
  readonly incomplete: string | null;
  /** Whether the catalog products of gone ones were to be deleted. Absent until the plan is made. */
  readonly deletes?: boolean;
  /** Both by the clock of the database, as ISO 8601. The run itself begins when the plan is applied. */
  readonly createdAt: string;
  readonly appliedAt: string | null;
}

/** The counts of a plan. */
export interface PlanCounts {
  readonly seen: number;
  readonly creates: number;
  readonly updates: number;
  readonly orphans: number;
  readonly unchanged: number;
  readonly conflicted: number;
}

@Entity({ name: 'sync_run' })
// Two replicas, a command and a schedule may all ask at once: a store has one active run, and the rest join it.
@Index('sync_run_one_active', ['store'], { unique: true, where: oneOf('state', ['queued', 'running']) })
// Every replica fires every tick: one run per slot of the schedule.
@Index('sync_run_one_per_slot', ['store', 'slot'], { unique: true, where: 'slot IS NOT NULL' })
@Index('sync_run_by_store', ['store', 'createdAt'])
@Index('sync_run_due', ['createdAt'], { where: oneOf('state', ['queued', 'running']) })
@Check('sync_run_kind_check', oneOf('kind', RUN_KINDS))
@Check('sync_run_state_check', oneOf('state', Object.keys(RUN_TRANSITIONS)))
@Check('sync_run_phase_check', oneOf('phase', RUN_PHASES))
export class SyncRunEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') store!: string;
  @Column('text') workspace!: string;
  @Column('text') kind!: RunKind;
  @Column('text') trigger!: RunTrigger;
  /** The person or the token that asked for it; null for a run that a schedule or an event started. */
  @Column('text', { nullable: true }) requestedBy!: string | null;
  /** The tick of the schedule that asked for it. */
  @Column('timestamptz', { nullable: true }) slot!: Date | null;
  @Column('boolean', { default: false }) force!: boolean;
  @Column('text', { default: 'queued' }) state!: RunState;
  @Column('text', { default: 'extract' }) phase!: RunPhase;
  /** Handle of the store's export, stored before it is awaited, so that a restarted process adopts it. */
  @Column('text', { nullable: true }) operation!: string | null;
  /** Start of the read, the next watermark. */
  @Column('timestamptz', { nullable: true }) readFrom!: Date | null;
  /** The listing of the catalog that the plan was compared with. It is kept while the plan is made. */
  @Column('bigint', { nullable: true }) listingId!: string | null;
  /** Null for a run that was never a plan for review. */
  @Column('jsonb', { nullable: true }) plan!: SavedPlan | null;
  @Column('jsonb', { default: {} }) counts!: Partial<RunCounts>;
  @Column('text', { nullable: true }) error!: string | null;
  @Column('text', { nullable: true }) errorCode!: string | null;
  /** Remarks that are no errors, for example that a limit was reached. */
  @Column('jsonb', { default: [] }) notes!: string[];
  @Column('jsonb', { default: [] }) steps!: StepStart[];
  @Column('jsonb', { default: {} }) requests!: Partial<RunRequests>;
  /** The person who cancelled the run. Its worker stops at the next safe point. */
  @Column('text', { nullable: true }) cancelledBy!: string | null;
  @Column('integer', { default: 0 }) attempts!: number;
  /** Attempts in a row that began and never ended because their worker died. */
  @Column('integer', { default: 0 }) crashCount!: number;
  /** Id of the last action that was started: one up to it that is still planned may have been carried out. */
  @Column('bigint', { default: 0 }) startedUpTo!: string;
  /** Why the plan did not look for products that were deleted in the catalog, for people; null when it did. */
  @Column('text', { nullable: true }) notCompared!: string | null;
  /** Why a full read marked no product as gone, for people; null when it was complete. */
  @Column('text', { nullable: true }) incomplete!: string | null;
  @Column('timestamptz', { nullable: true }) retryAt!: Date | null;
  /** Token of the worker that holds the run. */
  @Column('text', { nullable: true }) lease!: string | null;
  @Column('timestamptz', { nullable: true }) leaseUntil!: Date | null;
  @Column('timestamptz', { default: () => 'now()' }) createdAt!: Date;
  @Column('timestamptz', { nullable: true }) startedAt!: Date | null;
  @Column('timestamptz', { nullable: true }) finishedAt!: Date | null;
}
