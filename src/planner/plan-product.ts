import {
  CATALOG_FIELDS,
  clearedValue,
  type CatalogField,
  type CatalogProductBody,
} from '../domain/catalog-product.js';
import type { OwedCode } from '../domain/owed.js';
import type { LinkState } from '../domain/row-states.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import type { WrittenContent } from '../domain/written-content.js';
import { fieldHashes, filledFields, toCatalogBody, withoutIdentifiers } from './map-to-catalog.js';
import { effectiveSnapshot, seenFields, sourceFingerprint, type SourceRules } from './source.js';

/** What is known of a product from earlier runs. */
export interface LinkView {
  readonly externalId: string;
  readonly state: LinkState;
  readonly catalogId: string | null;
  /** Of the effective source that was last pushed in full. */
  readonly sourceFingerprint: string | null;
  /** Hash of each field as last pushed; a field that was cleared or never sent is absent. */
  readonly pushedFields: Readonly<Partial<Record<CatalogField, string>>>;
  readonly written: WrittenContent | null;
  readonly withheld: readonly WithheldIdentifier[];
  /** True while the catalog creates it in the background: until that ends nothing is sent a second time. */
  readonly creating: boolean;
  /** True while a write-back may be half way through: what is read of the product now may be either text. */
  readonly writing: boolean;
}

export type ActionKind = 'create' | 'adopt' | 'update' | 'orphan';

/** An action of the closed list, an explicit no-op, or a product that cannot be planned now and is owed. */
export type ProductPlan =
  | { readonly kind: 'put_off'; readonly code: Extract<OwedCode, 'being_written' | 'being_created'> }
  | { readonly kind: 'unchanged'; readonly sourceFingerprint: string; readonly fingerprintMoved: boolean }
  | PlannedChange;

export interface PlannedChange {
  readonly kind: Exclude<ActionKind, 'orphan'>;
  readonly externalId: string;
  /** Id of the catalog product that the action changes; null for a creation. */
  readonly catalogId: string | null;
  readonly reason: string;
  readonly fields: readonly CatalogField[];
  /** The whole product as the catalog should hold it; apply sends of it what `fields` names. */
  readonly body: CatalogProductBody;
  readonly withheld: readonly WithheldIdentifier[];
  readonly sourceFingerprint: string;
  readonly seen: Readonly<Record<string, string>>;
  readonly wantsGeneration: boolean;
  /** For people and for the journal: what a person calls this product. */
  readonly label: string;
  readonly storeId: string;
}

/**
 * Decides what the catalog must learn of one product: pure, first of the two steps of planning. Identifiers that earlier
 * runs withheld are left out of the comparison here; whether they still have to be is decided by `settleIdentity`, with the
 * whole store and the catalog in view.
 *
 * `generatedFields` are the catalog fields that write-back writes: a change to nothing else is pushed, but does not by
 * itself ask for generation.
 */
export function planProduct(
  snapshot: ProductSnapshot,
  link: LinkView | null,
  rules: SourceRules,
  generatedFields: ReadonlySet<CatalogField>,
): ProductPlan {
  if (link?.writing === true) return { kind: 'put_off', code: 'being_written' };
  const effective = effectiveSnapshot(snapshot, link?.written ?? null);
  const source = sourceFingerprint(effective, rules);
  const known = link !== null && link.catalogId !== null;
  if (known && link.sourceFingerprint === source && link.state === 'linked') {
    return { kind: 'unchanged', sourceFingerprint: source, fingerprintMoved: false };
  }
  if (link?.creating === true) return { kind: 'put_off', code: 'being_created' };
  const body = toCatalogBody(effective, rules);
  const common = {
    externalId: snapshot.externalId,
    body,
    withheld: link?.withheld ?? [],
    sourceFingerprint: source,
    seen: seenFields(snapshot),
    label: snapshot.title,
    storeId: snapshot.storeId,
  };
  if (!known) {
    return {
      ...common,
      kind: 'create',
      catalogId: null,
      reason: 'new in the store',
      fields: filledFields(body),
      wantsGeneration: true,
    };
  }
  const fields = changedFields(withoutIdentifiers(body, common.withheld), link.pushedFields);
  if (fields.length === 0 && common.withheld.length === 0 && link.state !== 'orphaned') {
    return {
      kind: 'unchanged',
      sourceFingerprint: source,
      fingerprintMoved: link.sourceFingerprint !== source,
    };
  }
  return {
    ...common,
    kind: 'update',
    catalogId: link.catalogId,
    reason: changeReason(fields, link.state),
    fields,
    wantsGeneration: fields.some((field) => !generatedFields.has(field)),
  };
}

/**
 * What a product that was read like this bears until something about it changes; null where the read cannot tell. `basis` stands
 * for the settings that decide what a read comes to.
 */
export function markOfRead(digest: string | null, basis: string): string | null {
  return digest === null ? null : `${basis}:${digest}`;
}

/** The fields of the desired body that differ from what was pushed; a field that lost its value differs too. */
export function changedFields(
  body: CatalogProductBody,
  pushed: Readonly<Partial<Record<CatalogField, string>>>,
): CatalogField[] {
  const wanted = fieldHashes(body);
  return CATALOG_FIELDS.filter((field) => wanted[field] !== pushed[field]);
}

/** The PATCH body of an update: only the fields that changed, cleared ones included (docs/catalog-rules.md#patch-productsid). */
export function patchBody(
  body: CatalogProductBody,
  fields: readonly CatalogField[],
): Partial<CatalogProductBody> {
  return Object.fromEntries(fields.map((field) => [field, body[field] ?? clearedValue(field)]));
}

export function changeReason(fields: readonly CatalogField[], state: LinkState): string {
  const changed =
    fields.length === 0 ? 'nothing but its place changed' : `changed in the store: ${fields.join(', ')}`;
  return state === 'orphaned' ? `back in the store; ${changed}` : changed;
}

/** The catalog fields that come from store fields which write-back writes. */
export function generatedCatalogFields(writeBackFields: Readonly<Record<string, string>>): Set<CatalogField> {
  const targets = new Set(Object.values(writeBackFields));
  const generated = new Set<CatalogField>();
  if (targets.has('title')) generated.add('name');
  if (targets.has('descriptionHtml')) generated.add('description').add('html_description');
  if (targets.has('vendor')) generated.add('brand');
  if (targets.has('productType')) generated.add('category');
  return generated;
}
