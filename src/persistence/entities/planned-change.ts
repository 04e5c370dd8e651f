import { Column } from 'typeorm';
import type { CatalogField, CatalogProductBody } from '../../domain/catalog-product.js';
import type { WithheldIdentifier } from '../../domain/withheld-identifier.js';

export const ACTION_KINDS = ['create', 'adopt', 'update', 'orphan'] as const;
export type StoredActionKind = (typeof ACTION_KINDS)[number];

/** The columns of a planned change of one product: an action of a run, or an entry of a saved plan. */
export abstract class PlannedChange {
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
}
