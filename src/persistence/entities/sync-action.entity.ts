import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { CatalogField, CatalogProductBody } from '../../domain/catalog-product.js';
import { ACTION_TRANSITIONS, type ActionState } from '../../domain/row-states.js';
import type { WithheldIdentifier } from '../../domain/withheld-identifier.js';
import { oneOf } from './checks.js';
import { SyncRunEntity } from './sync-run.entity.js';

export const ACTION_KINDS = ['create', 'adopt', 'update', 'orphan'] as const;
export type StoredActionKind = (typeof ACTION_KINDS)[number];

/** The error of one product, in the words of the other side. */
export interface ActionError {
  readonly code: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

@Entity({ name: 'sync_action' })
// A product has one action in a run, however often a resumed run plans it.
@Index('sync_action_once_per_run', ['runId', 'externalId'], { unique: true })
@Index('sync_action_open', ['runId', 'id'], { where: oneOf('state', ['planned', 'failed']) })
@Index('sync_action_by_product', ['externalId', 'id'])
// A store's unfinished actions are few beside its history, and every plan asks for them.
@Index('sync_action_unfinished', ['store'], { where: oneOf('state', ['planned', 'failed']) })
@Check('sync_action_kind_check', oneOf('kind', ACTION_KINDS))
@Check('sync_action_state_check', oneOf('state', Object.keys(ACTION_TRANSITIONS)))
export class SyncActionEntity {
  /** A bigint: text in JavaScript. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) id!: string;
  @ForeignKey(() => SyncRunEntity, { onDelete: 'CASCADE' })
  @Column('uuid')
  runId!: string;
  @Column('text') store!: string;
  @Column('text') externalId!: string;
  @Column('text') storeId!: string;
  @Column('text') label!: string;
  @Column('text') kind!: StoredActionKind;
  @Column('text', { nullable: true }) catalogId!: string | null;
  @Column('text') reason!: string;
  @Column('jsonb', { default: [] }) fields!: CatalogField[];
  @Column('jsonb', { nullable: true }) body!: CatalogProductBody | null;
  @Column('jsonb', { default: [] }) withheld!: WithheldIdentifier[];
  @Column('text', { nullable: true }) sourceFingerprint!: string | null;
  @Column('boolean', { default: false }) wantsGeneration!: boolean;
  @Column('jsonb', { default: {} }) seen!: Record<string, string>;
  /** True for a creation that no plan made: its identifiers were not looked up. */
  @Column('boolean', { default: false }) unproved!: boolean;
  /** True when the catalog no longer has the product that was linked: it is created again. */
  @Column('boolean', { default: false }) recreated!: boolean;
  /** The product's link as it stood when a plan for review was made. Null for an action of a run. */
  @Column('text', { nullable: true }) linkBefore!: string | null;
  @Column('text', { default: 'planned' }) state!: ActionState;
  @Column('jsonb', { nullable: true }) error!: ActionError | null;
  @Column('timestamptz', { default: () => 'now()' }) createdAt!: Date;
  @Column('timestamptz', { nullable: true }) settledAt!: Date | null;
}
