import type { CatalogField, CatalogProductBody, IdentifierKind } from '../domain/catalog-product.js';
import type { LinkState } from '../domain/row-states.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import type { WrittenContent } from '../domain/written-content.js';
import type { StoredActionKind } from './entities/sync-action.entity.js';

/** What the planner must know of a product that earlier runs have met. */
export interface LinkRow {
  readonly externalId: string;
  readonly state: LinkState;
  readonly catalogId: string | null;
  readonly sourceFingerprint: string | null;
  readonly pushedFields: Readonly<Partial<Record<CatalogField, string>>>;
  readonly written: WrittenContent | null;
  readonly withheld: readonly WithheldIdentifier[];
  readonly creating: boolean;
  /** True while a write-back may be half way through: what is read of the product now may be either text. */
  readonly writing: boolean;
}

export interface NewAction {
  readonly kind: StoredActionKind;
  readonly externalId: string;
  readonly storeId: string;
  readonly label: string;
  readonly catalogId: string | null;
  readonly reason: string;
  readonly fields: readonly CatalogField[];
  readonly body: CatalogProductBody | null;
  readonly withheld: readonly WithheldIdentifier[];
  readonly sourceFingerprint: string | null;
  readonly seen: Readonly<Record<string, string>>;
  readonly wantsGeneration: boolean;
  /** How the product was read; null where the read cannot tell (`MetProduct`). */
  readonly readMark: string | null;
}

/** A product that a read has met for the first time in this run. */
export interface MetProduct {
  readonly externalId: string;
  /** Read like this it is known to be unchanged; null while it has to be looked at. */
  readonly readMark: string | null;
}

/** A catalog product or variant as the listing showed it, one row per identifier; `kind` null for its external_id alone. */
export interface HolderRow {
  readonly kind: IdentifierKind | null;
  readonly value: string | null;
  readonly catalogId: string;
  readonly externalId: string | null;
  readonly isVariant: boolean;
}
