import type {
  CatalogField,
  CatalogProductBody,
  Identifier,
  IdentifierKind,
} from '../domain/catalog-product.js';
import type { LinkState } from '../domain/row-states.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import type { WrittenContent } from '../domain/written-content.js';
import type { StoredActionKind } from './entities/planned-change.js';

/** The planner's knowledge about a product from earlier runs. */
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
  /** True when this run's look at the catalog found that it no longer has the product. */
  readonly goneFromCatalog: boolean;
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
  /** True for a creation of a product that the catalog had before. */
  readonly recreated: boolean;
  /** The identifiers that its product has now; null keeps what is known. */
  readonly identifiers: readonly Identifier[] | null;
}

/**
 * An action on its way to the database. Its batch waits there for others, and the garbage collector copies what waits. So what has many
 * small objects is text already, and a body, which is large, is bytes outside of the heap.
 */
export interface PlannedAction extends Omit<NewAction, 'fields' | 'body' | 'withheld' | 'seen'> {
  readonly fields: string;
  readonly body: Buffer | null;
  readonly withheld: string;
  readonly seen: string;
}

/** The columns that an action has in a plan and in a saved plan, with their types for `RowColumns`. */
export const ACTION_COLUMNS = {
  externalId: 'text',
  storeId: 'text',
  label: 'text',
  kind: 'text',
  catalogId: 'text',
  reason: 'text',
  fields: 'jsonb',
  body: 'jsonb',
  withheld: 'jsonb',
  sourceFingerprint: 'text',
  wantsGeneration: 'boolean',
} as const;

export function plannedAction(action: NewAction): PlannedAction {
  const { fields, body, withheld, seen } = action;
  return {
    ...action,
    fields: JSON.stringify(fields),
    body: body === null ? null : Buffer.from(JSON.stringify(body)),
    withheld: JSON.stringify(withheld),
    seen: JSON.stringify(seen),
  };
}

/** An unchanged product whose fingerprint has changed with the rules that it is made by. */
export interface UnchangedProduct {
  readonly externalId: string;
  /** Its fingerprint when it was compared. */
  readonly before: string | null;
  readonly fingerprint: string;
}

/** Products that a read has met for the first time in this run, by external_id, with what is known of each. */
export type MetProducts = ReadonlyMap<string, LinkRow | null>;

/** A catalog product as the listing showed it. */
export interface ListedRow {
  readonly catalogId: string;
  readonly externalId: string | null;
  /** True for a product model: the listing may leave its variants out. */
  readonly hidesVariants: boolean;
}

/** A catalog product or variant as the listing showed it, one row per identifier; `kind` null for its external_id alone. */
export interface HolderRow {
  readonly kind: IdentifierKind | null;
  readonly value: string | null;
  readonly catalogId: string;
  readonly externalId: string | null;
  readonly isVariant: boolean;
}
