import {
  CATALOG_FIELDS,
  clearedValue,
  LANGUAGE_FIELDS,
  type CatalogField,
  type CatalogProductBody,
} from '../domain/catalog-product.js';
import type { OwedCode } from '../domain/owed.js';
import type { LinkState } from '../domain/row-states.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import type { WrittenContent } from '../domain/written-content.js';
import { asksForContent } from './asks-for-content.js';
import {
  fieldHashes,
  filledFields,
  isInOtherLanguage,
  toCatalogBody,
  withoutIdentifiers,
} from './map-to-catalog.js';
import { effectiveSnapshot, seenFields, sourceFingerprint, type SourceRules } from './source.js';

/** What earlier runs recorded about a product. */
export interface LinkView {
  readonly externalId: string;
  readonly state: LinkState;
  readonly catalogId: string | null;
  /** The fingerprint of the effective source that was last pushed completely. */
  readonly sourceFingerprint: string | null;
  readonly written: WrittenContent | null;
  readonly withheld: readonly WithheldIdentifier[];
  /** True while the catalog creates the product in the background. Nothing is sent again before that ends. */
  readonly creating: boolean;
  /** True while a write-back may be half way through: what is read of the product now may be either text. */
  readonly writing: boolean;
  /** True when the catalog was found to have the product no longer: it is created again. */
  readonly goneFromCatalog: boolean;
  /** True for a link to a product of another workspace: in this one it is gone. */
  readonly isElsewhere: boolean;
  /** The hash of each field as last pushed. A cleared field, or one that was never sent, is absent. */
  readonly pushedFields: Readonly<Partial<Record<CatalogField, string>>>;
}

export type ActionKind = 'create' | 'adopt' | 'update' | 'orphan';

/** An action of the closed list, an explicit no-op, or a product that cannot be planned now and is owed. */
export type ProductPlan =
  | { readonly kind: 'put_off'; readonly code: Extract<OwedCode, 'being_written' | 'changed'> }
  | { readonly kind: 'unchanged'; readonly sourceFingerprint: string; readonly fingerprintMoved: boolean }
  | PlannedChange;

export interface PlannedChange {
  readonly kind: Exclude<ActionKind, 'orphan'>;
  readonly externalId: string;
  /** Id of the catalog product that the action changes; null for a creation. */
  readonly catalogId: string | null;
  readonly reason: string;
  readonly fields: readonly CatalogField[];
  /** The whole product as the catalog should have it. Apply sends only the fields in `fields`. */
  readonly body: CatalogProductBody;
  readonly withheld: readonly WithheldIdentifier[];
  readonly sourceFingerprint: string;
  readonly seen: Readonly<Record<string, string>>;
  readonly wantsGeneration: boolean;
  /** True for a creation of a product that the catalog had before. */
  readonly recreated: boolean;
  /** The name of the product for people and for the journal. */
  readonly label: string;
  readonly storeId: string;
}

/**
 * Plans the change of one product: pure, the first of two steps. Identifiers that earlier runs withheld are ignored
 * here. `resolveIdentity` decides later, with the whole store and the catalog in view, whether they stay withheld.
 *
 * `generatedFields` are the catalog fields that write-back writes. A change to only these fields is pushed, but does
 * not request generation.
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
  if (link !== null && isUnchanged(link, source))
    return { kind: 'unchanged', sourceFingerprint: source, fingerprintMoved: false };
  if (link?.creating === true) return { kind: 'put_off', code: 'changed' };
  const recreated = link?.goneFromCatalog === true;
  const known = link !== null && isInCatalog(link);
  const body = toCatalogBody(effective, rules);
  const withheld = link?.withheld ?? [];
  const commonParts = () => ({
    externalId: snapshot.externalId,
    body,
    withheld,
    sourceFingerprint: source,
    seen: seenFields(snapshot),
    label: snapshot.title,
    storeId: snapshot.storeId,
    recreated,
  });
  if (!known) {
    return {
      ...commonParts(),
      kind: 'create',
      catalogId: null,
      reason: creationReason(link),
      fields: filledFields(body),
      wantsGeneration: true,
    };
  }
  const sent = withoutIdentifiers(body, withheld);
  const fields = changedFields(sent, link.pushedFields);
  if (fields.length === 0 && withheld.length === 0 && link.state !== 'orphaned') {
    return {
      kind: 'unchanged',
      sourceFingerprint: source,
      fingerprintMoved: link.sourceFingerprint !== source,
    };
  }
  return {
    ...commonParts(),
    kind: 'update',
    catalogId: link.catalogId,
    reason: changeReason(fields, sent, link),
    fields,
    wantsGeneration: asksForContent(
      fields.filter((field) => !generatedFields.has(field)),
      sent,
      link.pushedFields,
    ),
  };
}

function creationReason(link: LinkView | null): string {
  if (link?.isElsewhere === true) return 'its store has another workspace now';
  if (link?.goneFromCatalog === true) return 'its catalog product is gone: it is created again';
  const wasLinked = link?.state === 'linked' || link?.state === 'conflicted';
  return wasLinked ? 'another system took its catalog product over: it is created again' : 'new in the store';
}

/** True when nothing is to be planned for a product whose effective source has this fingerprint. */
function isUnchanged(link: LinkView, fingerprint: string): boolean {
  if (link.sourceFingerprint !== fingerprint) return false;
  return link.creating || (link.state === 'linked' && isInCatalog(link));
}

function isInCatalog({ catalogId, goneFromCatalog }: LinkView): boolean {
  return catalogId !== null && !goneFromCatalog;
}

/**
 * The fields of the desired body that differ from the pushed ones, including fields that lost their value, and all texts when they were
 * pushed in another language. A body without translations does not know them, so that they are never changed or cleared.
 */
export function changedFields(
  body: CatalogProductBody,
  pushed: Readonly<Partial<Record<CatalogField, string>>>,
): CatalogField[] {
  const wanted = fieldHashes(body);
  const isKnown = (field: CatalogField): boolean =>
    field !== 'translations' || body.translations !== undefined;
  const isToBeResent = (field: CatalogField): boolean =>
    wanted[field] !== undefined && LANGUAGE_FIELDS.includes(field) && isInOtherLanguage(body, pushed);
  return CATALOG_FIELDS.filter(
    (field) => isKnown(field) && (wanted[field] !== pushed[field] || isToBeResent(field)),
  );
}

/**
 * The PATCH body of an update: only changed fields, including cleared ones (docs/catalog-rules.md#patch-productsid).
 */
export function patchBody(
  body: CatalogProductBody,
  fields: readonly CatalogField[],
): Omit<Partial<CatalogProductBody>, 'translations' | 'locale'> {
  const own = fields.filter((field) => field !== 'translations');
  return Object.fromEntries(own.map((field) => [field, body[field] ?? clearedValue(field)]));
}

export function changeReason(
  fields: readonly CatalogField[],
  body: CatalogProductBody,
  { state, pushedFields }: Pick<LinkView, 'state' | 'pushedFields'>,
): string {
  const cause = isInOtherLanguage(body, pushedFields)
    ? 'its workspace has another locale'
    : 'changed in the store';
  const changed = fields.length === 0 ? 'nothing but its place changed' : `${cause}: ${fields.join(', ')}`;
  return state === 'orphaned' ? `back in the store; ${changed}` : changed;
}
