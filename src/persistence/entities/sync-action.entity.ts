import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CatalogField, CatalogProductBody } from '../../domain/catalog-product.js';
import type { ActionState } from '../../domain/row-states.js';
import type { WithheldIdentifier } from '../../domain/withheld-identifier.js';

export type StoredActionKind = 'create' | 'adopt' | 'update' | 'orphan';

/** What went wrong with one product, as the other side put it. */
export interface ActionError {
  readonly code: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

@Entity({ name: 'sync_action' })
export class SyncActionEntity {
  /** A bigint: text in JavaScript. */
  @PrimaryColumn('bigint') id!: string;
  @Column('uuid') runId!: string;
  @Column('text') store!: string;
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
  @Column('jsonb') seen!: Record<string, string>;
  @Column('text', { nullable: true }) readMark!: string | null;
  @Column('boolean') wantsGeneration!: boolean;
  @Column('text') state!: ActionState;
  /** Counted by the release before alone: see `begunTo` of the run. */
  @Column('integer') attempts!: number;
  @Column('jsonb', { nullable: true }) error!: ActionError | null;
  @Column('timestamptz') createdAt!: Date;
  @Column('timestamptz', { nullable: true }) settledAt!: Date | null;
}
