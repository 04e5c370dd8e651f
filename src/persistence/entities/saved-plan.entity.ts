import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { oneOf } from './checks.js';
import { ACTION_KINDS, PlannedChange } from './planned-change.js';
import { RUN_KINDS, type RunKind } from './sync-run.entity.js';

const STATES = ['planning', 'saved', 'applied', 'failed'] as const;
export type SavedPlanState = (typeof STATES)[number];

/** The counts of a plan. */
export interface PlanCounts {
  readonly seen: number;
  readonly creates: number;
  readonly updates: number;
  readonly orphans: number;
  readonly unchanged: number;
  readonly conflicted: number;
}

/** A plan that was kept for review. */
@Entity({ name: 'saved_plan' })
@Index('saved_plan_by_time', ['createdAt'])
@Check('saved_plan_kind_check', oneOf('kind', RUN_KINDS))
@Check('saved_plan_state_check', oneOf('state', STATES))
export class SavedPlanEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') store!: string;
  @Column('text') workspace!: string;
  @Column('text', { default: 'full' }) kind!: RunKind;
  @Column('text', { default: 'planning' }) state!: SavedPlanState;
  /** Empty until the plan is saved. */
  @Column('jsonb', { default: {} }) counts!: Partial<PlanCounts>;
  @Column('integer', { default: 0 }) entries!: number;
  /** Why absence proved nothing, where the read was not complete. */
  @Column('text', { nullable: true }) incomplete!: string | null;
  @Column('text', { nullable: true }) error!: string | null;
  /** The run that carried it out. Not a reference: runs are removed before plans are. */
  @Column('uuid', { nullable: true }) runId!: string | null;
  /** Before the store was read: whatever was done to a product since is later than the plan. */
  @Column('timestamptz', { default: () => 'now()' }) createdAt!: Date;
  @Column('timestamptz', { nullable: true }) appliedAt!: Date | null;
}

@Entity({ name: 'saved_plan_entry' })
// A product has one entry in a plan, as it has one action in a run.
@Index('saved_plan_entry_once', ['planId', 'externalId'], { unique: true })
@Check('saved_plan_entry_kind_check', oneOf('kind', ACTION_KINDS))
export class SavedPlanEntryEntity extends PlannedChange {
  @ForeignKey(() => SavedPlanEntity, { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  planId!: string;
  /** A bigint: text in JavaScript. */
  @PrimaryColumn('bigint') position!: string;
  /** The link as it stood when the plan was made; null for a product without one. */
  @Column('text', { nullable: true }) linkState!: string | null;
  @Column('text', { nullable: true }) linkCatalogId!: string | null;
  @Column('text', { nullable: true }) linkSourceFingerprint!: string | null;
}
