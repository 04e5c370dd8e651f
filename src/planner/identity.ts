import { IDENTIFIER_NAMES, type Identifier, type IdentifierKind } from '../domain/catalog-product.js';
import { foldedIdentifier } from '../domain/identifier-text.js';
import { parseExternalId, productExternalId } from '../domain/external-id.js';
import type { IdentifierHolder, WithheldIdentifier } from '../domain/withheld-identifier.js';
import { asksForContent } from './asks-for-content.js';
import { filledFields, identifierKey, identifiersOf, withoutIdentifiers } from './map-to-catalog.js';
import { changedFields, changeReason, type LinkView, type PlannedChange } from './plan-product.js';
import type { CatalogField } from '../domain/catalog-product.js';

/** A catalog product or variant with an identifier, as the listing or a search returned it. */
export interface CatalogHolder {
  readonly kind: IdentifierKind;
  readonly value: string;
  /** Catalog id of the product to write. */
  readonly catalogId: string;
  readonly externalId: string | null;
  /** True when the holder is a variant of another product. Variants are never adopted by themselves. */
  readonly isVariant: boolean;
}

/** The other products and variants that have the change's identifiers, in all stores of the workspace. */
export interface IdentityView {
  /** `valueKey` to the external_ids of the products or variants with that identifier, including ours. */
  readonly owners: ReadonlyMap<string, readonly string[]>;
  readonly holders: readonly CatalogHolder[];
  /** Catalog id of the product that already has this change's external_id, if the listing returned one. */
  readonly ownCatalogId: string | null;
  /** Catalog ids that other changes of this run also claim. */
  readonly contested: ReadonlySet<string>;
  /** The products of the workspace's stores among the holders, by external_id: whether their source is still there. */
  readonly known: ReadonlyMap<string, 'live' | 'orphaned'>;
  /** False for a store that a merchant installed: a stranger must not take over what is in the catalog. */
  readonly mayAdopt: boolean;
}

export type ResolvedIdentity =
  | { readonly kind: 'change'; readonly change: PlannedChange }
  | { readonly kind: 'unchanged'; readonly withheld: readonly WithheldIdentifier[] };

/**
 * The second step of planning, pure. A POST updates any product that matches by any identifier
 * (docs/decisions/0005-identity.md), so each identifier of a change is checked before anything is sent. An identifier
 * is withheld and reported when another product or variant of the workspace's stores has it, or a catalog product
 * with another external_id. A matching catalog product without an external_id is adopted.
 */
export function resolveIdentity(
  change: PlannedChange,
  link: LinkView | null,
  view: IdentityView,
  generatedFields: ReadonlySet<CatalogField>,
): ResolvedIdentity {
  const own = new Set([
    change.externalId,
    ...(change.body.variants ?? []).map((variant) => variant.external_id),
  ]);
  const identifiers = identifiersOf(change.body);
  const adoptable =
    change.kind === 'create' && view.ownCatalogId === null && view.mayAdopt
      ? adoptableIds(change, identifiers, view)
      : [];
  const adopted = adoptable.length === 1 ? adoptable[0] : undefined;
  const withheld: WithheldIdentifier[] = [];
  for (const identifier of identifiers) {
    const found = obstacle(identifier, own, view, adopted ?? change.catalogId ?? view.ownCatalogId);
    if (found !== null) withheld.push({ ...identifier, ...found });
  }
  const body = withoutIdentifiers(change.body, withheld);
  // A value that was pushed before and is withheld now is cleared: the catalog never keeps an outdated identifier.
  const fields = changedFields(body, link?.pushedFields ?? {});
  // Withholding an identifier is not an edit of the merchant, so it asks for no content.
  const asks = asksForContent(
    fields.filter(
      (field) =>
        !generatedFields.has(field) &&
        !withheld.some(({ kind, owner }) => kind === field && owner === change.externalId),
    ),
    body,
    link?.pushedFields ?? {},
  );
  if (change.kind === 'create') {
    const created = resolvedCreation(change, body, withheld, adopted, view);
    // Only the name of its workspace changed: the catalog still has what was pushed, so only edits ask for content.
    const isThere = link?.isElsewhere === true && view.ownCatalogId !== null;
    return { kind: 'change', change: isThere ? { ...created, wantsGeneration: asks } : created };
  }
  if (fields.length === 0 && link?.state !== 'orphaned') return { kind: 'unchanged', withheld };
  return {
    kind: 'change',
    change: {
      ...change,
      withheld,
      fields,
      reason: changeReason(fields, body, link ?? { state: 'linked', pushedFields: {} }),
      wantsGeneration: asks,
    },
  };
}

function resolvedCreation(
  change: PlannedChange,
  body: PlannedChange['body'],
  withheld: readonly WithheldIdentifier[],
  adopted: string | undefined,
  view: IdentityView,
): PlannedChange {
  const resolved = { ...change, withheld, fields: filledFields(body) };
  if (view.ownCatalogId !== null) {
    return {
      ...resolved,
      kind: 'adopt',
      catalogId: view.ownCatalogId,
      reason: 'already in the catalog under its external_id',
    };
  }
  if (adopted !== undefined) {
    return {
      ...resolved,
      kind: 'adopt',
      catalogId: adopted,
      reason: 'in the catalog without an external_id: adopted by its identifier',
    };
  }
  return resolved;
}

/** Unclaimed catalog products that match one of the change's own identifiers (not of its variants). */
function adoptableIds(
  change: PlannedChange,
  identifiers: readonly Identifier[],
  view: IdentityView,
): string[] {
  const ids = new Set<string>();
  for (const identifier of identifiers) {
    if (identifier.owner !== change.externalId || otherOwners(identifier, view).length > 0) continue;
    for (const holder of holdersOf(identifier, view)) {
      const isUnclaimed = holder.externalId === null && !view.contested.has(holder.catalogId);
      if (isUnclaimed && !holder.isVariant) ids.add(holder.catalogId);
    }
  }
  return [...ids];
}

type Obstacle = Required<Pick<WithheldIdentifier, 'reason' | 'holder'>>;

/** The reason why an identifier cannot be sent, and who has it; null when it can. */
function obstacle(
  identifier: Identifier,
  own: ReadonlySet<string>,
  view: IdentityView,
  target: string | null | undefined,
): Obstacle | null {
  const others = otherOwners(identifier, view);
  if (others.length > 0) return sharedBy(identifier, others);
  for (const holder of holdersOf(identifier, view)) {
    if (holder.externalId !== null && own.has(holder.externalId)) continue;
    if (holder.externalId === null && holder.catalogId === target) continue;
    const held = `${IDENTIFIER_NAMES[identifier.kind]} ${identifier.value} is held by catalog product ${holder.catalogId}`;
    const { catalogId, externalId } = holder;
    if (externalId === null)
      return {
        reason: view.mayAdopt
          ? `${held}, which cannot be adopted by one product alone`
          : `${held}, and a store that was installed by its merchant adopts none`,
        holder: { whose: 'unclaimed', externalIds: [], catalogId },
      };
    const whose = whoseHolder(identifier.owner, externalId, view);
    return { reason: `${held} of ${externalId}`, holder: { whose, externalIds: [externalId], catalogId } };
  }
  return null;
}

/** Other products of our stores have the identifier; a shop's products and variants begin with the same external_id. */
function sharedBy({ kind, value, owner }: Identifier, others: readonly string[]): Obstacle {
  const isSameShop = others.some((other) => shopOf(other) === shopOf(owner));
  return {
    reason: `${IDENTIFIER_NAMES[kind]} ${value} is also used by ${others.join(', ')}`,
    holder: { whose: isSameShop ? 'this_store' : 'other_store', externalIds: others, catalogId: null },
  };
}

/** An external_id in our format belongs to another system when no store of the workspace has its product. */
function whoseHolder(owner: string, externalId: string, { known }: IdentityView): IdentifierHolder['whose'] {
  const ref = parseExternalId(externalId);
  const state = ref === null ? undefined : known.get(productExternalId(ref.store, ref.productId));
  if (state === undefined) return 'foreign';
  if (state === 'orphaned') return 'orphan';
  return ref?.store === shopOf(owner) ? 'this_store' : 'other_store';
}

function shopOf(externalId: string): string | undefined {
  return parseExternalId(externalId)?.store;
}

function otherOwners(identifier: Identifier, view: IdentityView): string[] {
  return (view.owners.get(valueKey(identifier)) ?? []).filter((owner) => owner !== identifier.owner);
}

function holdersOf(identifier: Identifier, view: IdentityView): CatalogHolder[] {
  return view.holders.filter((holder) => valueKey(holder) === valueKey(identifier));
}

/** Equal for identifiers that a service may take for the same one. */
export function valueKey({ kind, value }: Pick<Identifier, 'kind' | 'value'>): string {
  return `${kind}\u0000${foldedIdentifier(value)}`;
}

/** The identifiers that another run has claimed since planning. Checked right before sending. */
export function sharedSincePlan(
  change: PlannedChange,
  owners: ReadonlyMap<string, readonly string[]>,
): WithheldIdentifier[] {
  const planned = new Set(change.withheld.map(identifierKey));
  return identifiersOf(change.body).flatMap((identifier) => {
    const others = (owners.get(valueKey(identifier)) ?? []).filter((owner) => owner !== identifier.owner);
    if (others.length === 0 || planned.has(identifierKey(identifier))) return [];
    return [{ ...identifier, ...sharedBy(identifier, others) }];
  });
}
