import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { IdentifierKind } from '../../domain/catalog-product.js';

/** An identifier that a product has in a plan that is being made, or waits for review. The end of the plan claims it. */
@Entity({ name: 'planned_identifier' })
@Index('planned_identifier_by_product', ['runId', 'product'])
export class PlannedIdentifierEntity {
  @PrimaryColumn('uuid') runId!: string;
  @PrimaryColumn('text') kind!: IdentifierKind;
  /** The value as it is compared (`foldedIdentifier`). */
  @PrimaryColumn('text') folded!: string;
  /** external_id of the product or variant that has the identifier. */
  @PrimaryColumn('text') owner!: string;
  @Column('text') value!: string;
  @Column('text') product!: string;
  /** False for one that the catalog holds for a product which has left the store. */
  @Column('boolean', { default: true }) wanted!: boolean;
}
