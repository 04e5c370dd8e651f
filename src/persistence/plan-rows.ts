import { z } from 'zod';
import {
  IDENTIFIER_KINDS,
  type CatalogField,
  type CatalogProductBody,
  type Identifier,
} from '../domain/catalog-product.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { CatalogListedEntity } from './entities/catalog-listing.entity.js';
import { StoreProductEntity } from './entities/store-product.entity.js';
import type { StoredActionKind } from './entities/sync-action.entity.js';
import { rowOf } from './rows.js';

/** The run that a plan is made for. */
export interface PlannedRun {
  readonly id: string;
  readonly store: string;
  readonly workspace: string;
  /** Of the worker that plans it. Every write of the plan is made under it. */
  readonly lease: string;
  /** True for a dry run and for a plan for review: nothing is noted but the run's own rows. */
  readonly isDry: boolean;
}

export interface PlanEnd {
  readonly full: boolean;
  /** `Store.scope` of the read. */
  readonly scope: string;
  /** Why a full read may not have shown every product that there is; null when it did, and for a read of changes. */
  readonly incomplete: string | null;
  /** Store ids that were asked for and do not exist. */
  readonly gone: readonly string[];
  readonly notCompared: string | null;
  readonly counts: object;
}

/** The planner's knowledge about a product from earlier runs. */
export const linkRow = rowOf(StoreProductEntity, [
  'externalId',
  'state',
  'catalogId',
  'sourceFingerprint',
  'pushedFields',
  'written',
  'withheld',
]).extend({
  /** True for a link to a product of another workspace: the store had that one when it was made. */
  isElsewhere: z.boolean(),
  creating: z.boolean(),
  /** True while a write-back may be half way through: what is read of the product now may be either text. */
  writing: z.boolean(),
});
export type LinkRow = Readonly<z.infer<typeof linkRow>> & {
  /** True when this run's look at the catalog found that it no longer has the product, and for a link to another workspace. */
  readonly goneFromCatalog: boolean;
};

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

/** An unchanged product whose fingerprint has changed with the rules that it is made by. */
export interface UnchangedProduct {
  readonly externalId: string;
  /** Its fingerprint when it was compared. */
  readonly before: string | null;
  readonly fingerprint: string;
}

/** Products that a read shows for the first time in this run, by external_id, with what is known of each. */
export type FirstSeen = ReadonlyMap<string, LinkRow | null>;

/** A catalog product as the listing showed it. */
export interface ListedRow {
  readonly catalogId: string;
  readonly externalId: string | null;
  /** True for a product model: the listing may leave its variants out. */
  readonly hidesVariants: boolean;
}

export const holderRow = rowOf(CatalogListedEntity, ['catalogId', 'externalId', 'isVariant']).extend({
  kind: z.enum(IDENTIFIER_KINDS).nullable(),
  value: z.string().nullable(),
});
/** A catalog product or variant as the listing showed it, one row per identifier; `kind` null for its external_id alone. */
export type HolderRow = Readonly<z.infer<typeof holderRow>>;
