import { Entity, Index, Column, PrimaryColumn } from 'typeorm';
import type { IdentifierKind } from '../../domain/catalog-product.js';

/** An identifier that a product or one of its variants has in its store: what makes ambiguous identifiers visible. */
@Entity({ name: 'product_identifier' })
@Index('product_identifier_by_store', ['store', 'product'])
export class ProductIdentifierEntity {
  @PrimaryColumn('text') workspace!: string;
  @PrimaryColumn('text') kind!: IdentifierKind;
  /** The value as it is compared: a service may strip blanks and fold the letter case (`foldedIdentifier`). */
  @PrimaryColumn('text') folded!: string;
  /** external_id of the product or variant that has the identifier. */
  @PrimaryColumn('text') owner!: string;
  @Column('text') value!: string;
  @Column('text') store!: string;
  /** external_id of the product that the owner is, or belongs to. */
  @Column('text') product!: string;
  /** False when the store no longer has it there, and the catalog may still hold it until it is released. */
  @Column('boolean', { default: true }) wanted!: boolean;
  /** True once the catalog has it for this owner: between stores of a workspace the first one keeps it. */
  @Column('boolean', { default: false }) held!: boolean;
}
