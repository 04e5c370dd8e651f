import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { CatalogField, CatalogProductBody } from '../../domain/catalog-product.js';
import type { WithheldIdentifier } from '../../domain/withheld-identifier.js';
import type { StoredActionKind } from './sync-action.entity.js';
import type { RunKind } from './sync-run.entity.js';

export type SavedPlanState = 'planning' | 'saved' | 'applied' | 'failed';

/** What a plan would do, in numbers. */
export interface PlanCounts {
  readonly seen: number;
  readonly creates: number;
  readonly updates: number;
  readonly orphans: number;
  readonly unchanged: number;
  readonly conflicted: number;
}

@Entity({ name: 'saved_plan' })
export class SavedPlanEntity {
  @PrimaryGeneratedColumn('uuid') id!: string;
  @Column('text') store!: string;
  @Column('text') workspace!: string;
  @Column('text') kind!: RunKind;
  @Column('text') state!: SavedPlanState;
  /** Empty until the plan is saved. */
  @Column('jsonb') counts!: Partial<PlanCounts>;
  @Column('integer') entries!: number;
  /** Why absence proved nothing, where the read was not complete. */
  @Column('text', { nullable: true }) incomplete!: string | null;
  @Column('text', { nullable: true }) error!: string | null;
  /** The run that carried it out. */
  @Column('uuid', { nullable: true }) runId!: string | null;
  /** Before the store was read: whatever was done to a product since is later than the plan. */
  @Column('timestamptz') createdAt!: Date;
  @Column('timestamptz', { nullable: true }) appliedAt!: Date | null;
}

@Entity({ name: 'saved_plan_entry' })
export class SavedPlanEntryEntity {
  @PrimaryColumn('uuid') planId!: string;
  /** A bigint: text in JavaScript. */
  @PrimaryColumn('bigint') position!: string;
  @Column('text') externalId!: string;
  @Column('text') storeId!: string;
  @Column('text') label!: string;
  @Column('text') kind!: StoredActionKind;
  @Column('text', { nullable: true }) catalogId!: string | null;
  @Column('text') reason!: string;
  @Column('jsonb') fields!: CatalogField[];
  @Column('jsonb', { nullable: true }) body!: CatalogProductBody | null;
  @Column('jsonb') withheld!: WithheldIdentifier[];
  @Column('text', { nullable: true }) sourceFingerprint!: string | null;
  @Column('boolean') wantsGeneration!: boolean;
  /** The link as it stood when the plan was made; null for a product without one. */
  @Column('text', { nullable: true }) linkState!: string | null;
  @Column('text', { nullable: true }) linkCatalogId!: string | null;
  @Column('text', { nullable: true }) linkSourceFingerprint!: string | null;
}
