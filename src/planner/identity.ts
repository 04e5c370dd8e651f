import { IDENTIFIER_KINDS, type Identifier, type IdentifierKind } from '../domain/catalog-product.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { filledFields, identifierKey, identifiersOf, withoutIdentifiers } from './map-to-catalog.js';
import { changedFields, changeReason, type LinkView, type PlannedChange } from './plan-product.js';
import type { CatalogField } from '../domain/catalog-product.js';

/** A product or variant of the catalog that bears an identifier, as the listing or a search showed it. */
export interface CatalogHolder {
  readonly kind: IdentifierKind;
  readonly value: string;
  /** Catalog id of the product that would have to be written: of the holder itself. */
  readonly catalogId: string;
  readonly externalId: string | null;
  /** True when the holder is a variant of another product: never adopted by itself. */
  readonly isVariant: boolean;
}

/** Other bearers of the change's identifiers, in any store of the workspace. */
export interface IdentityView {
  /** `kind\0value` to the external_ids (products or variants) that bear it, ours among them. */
  readonly bearers: ReadonlyMap<string, readonly string[]>;
  readonly holders: readonly CatalogHolder[];
  /** Catalog id of the product that already bears this change's external_id, when the listing showed one. */
  readonly ownCatalogId: string | null;
  /** Catalog ids that other changes of this run also lay claim to. */
  readonly contested: ReadonlySet<string>;
}

export const NO_OTHER_BEARERS: IdentityView = {
  bearers: new Map(),
  holders: [],
  ownCatalogId: null,
  contested: new Set(),
};

export type SettledIdentity =
  | { readonly kind: 'change'; readonly change: PlannedChange }
  | { readonly kind: 'unchanged'; readonly withheld: readonly WithheldIdentifier[] };

/**
 * Second step of planning, pure: POST matches by any identifier and updates what it matches (docs/decisions/0005-identity.md), so each
 * identifier of a change is cleared before anything is sent. Withheld and reported is one that another product or variant
 * of the workspace's stores bears, or that a catalog product with another external_id holds. A catalog product that one of
 * them matches and that bears no external_id is adopted.
 */
export function settleIdentity(
  change: PlannedChange,
  link: LinkView | null,
  view: IdentityView,
  generatedFields: ReadonlySet<CatalogField>,
): SettledIdentity {
  const own = new Set([
    change.externalId,
    ...(change.body.variants ?? []).map((variant) => variant.external_id),
  ]);
  const identifiers = identifiersOf(change.body);
  const adoptable =
    change.kind === 'create' && view.ownCatalogId === null
      ? adoptableIds(change, identifiers, own, view)
      : [];
  const adopted = adoptable.length === 1 ? adoptable[0] : undefined;
  const withheld: WithheldIdentifier[] = [];
  for (const identifier of identifiers) {
    const reason = obstacle(identifier, own, view, adopted ?? change.catalogId ?? view.ownCatalogId);
    if (reason !== null) withheld.push({ ...identifier, reason });
  }
  const body = withoutIdentifiers(change.body, withheld);
  if (change.kind === 'create')
    return { kind: 'change', change: settledCreation(change, body, withheld, adopted, view) };
  const fields = changedFields(body, link?.pushedFields ?? {}).filter(
    (field) => !onlyWithheld(field, withheld, change),
  );
  if (fields.length === 0 && link?.state !== 'orphaned') return { kind: 'unchanged', withheld };
  return {
    kind: 'change',
    change: {
      ...change,
      withheld,
      fields,
      reason: changeReason(fields, link?.state ?? 'linked'),
      wantsGeneration: fields.some((field) => !generatedFields.has(field)),
    },
  };
}

function settledCreation(
  change: PlannedChange,
  body: PlannedChange['body'],
  withheld: readonly WithheldIdentifier[],
  adopted: string | undefined,
  view: IdentityView,
): PlannedChange {
  const settled = { ...change, withheld, fields: filledFields(body) };
  if (view.ownCatalogId !== null) {
    return {
      ...settled,
      kind: 'adopt',
      catalogId: view.ownCatalogId,
      reason: 'already in the catalog under its external_id',
    };
  }
  if (adopted !== undefined) {
    return {
      ...settled,
      kind: 'adopt',
      catalogId: adopted,
      reason: 'in the catalog without an external_id: adopted by its identifier',
    };
  }
  return settled;
}

/** Unclaimed catalog products that one of the change's own (not its variants') identifiers matches. */
function adoptableIds(
  change: PlannedChange,
  identifiers: readonly Identifier[],
  own: ReadonlySet<string>,
  view: IdentityView,
): string[] {
  const ids = new Set<string>();
  for (const identifier of identifiers) {
    if (identifier.owner !== change.externalId || sharedWith(identifier, view).length > 0) continue;
    for (const holder of holdersOf(identifier, view)) {
      if (holder.isVariant || (holder.externalId !== null && !own.has(holder.externalId))) continue;
      if (holder.externalId === null && !view.contested.has(holder.catalogId)) ids.add(holder.catalogId);
    }
  }
  return [...ids];
}

/** Why an identifier cannot be sent, for people; null when it can. */
function obstacle(
  identifier: Identifier,
  own: ReadonlySet<string>,
  view: IdentityView,
  target: string | null | undefined,
): string | null {
  const others = sharedWith(identifier, view);
  if (others.length > 0)
    return `${identifier.kind} ${identifier.value} is also borne by ${others.join(', ')}`;
  for (const holder of holdersOf(identifier, view)) {
    if (holder.externalId !== null && own.has(holder.externalId)) continue;
    if (holder.externalId === null && holder.catalogId === target) continue;
    return holder.externalId === null
      ? `${identifier.kind} ${identifier.value} is held by catalog product ${holder.catalogId}, which cannot be adopted by one product alone`
      : `${identifier.kind} ${identifier.value} is held by catalog product ${holder.catalogId} of ${holder.externalId}`;
  }
  return null;
}

function sharedWith(identifier: Identifier, view: IdentityView): string[] {
  return (view.bearers.get(bearerKey(identifier)) ?? []).filter((bearer) => bearer !== identifier.owner);
}

function holdersOf(identifier: Identifier, view: IdentityView): CatalogHolder[] {
  return view.holders.filter(
    (holder) => holder.kind === identifier.kind && holder.value === identifier.value,
  );
}

export function bearerKey({ kind, value }: Pick<Identifier, 'kind' | 'value'>): string {
  return `${kind}\u0000${value}`;
}

/**
 * A field that lost its value only because the identifier is withheld is left as the catalog has it: withholding stops us
 * from claiming an identifier, it does not take one away.
 */
function onlyWithheld(
  field: CatalogField,
  withheld: readonly WithheldIdentifier[],
  change: PlannedChange,
): boolean {
  if (!(IDENTIFIER_KINDS as readonly string[]).includes(field)) return false;
  return withheld.some((identifier) => identifier.kind === field && identifier.owner === change.externalId);
}

/** The withheld identifiers of a change that another run has since claimed, besides those planned; for the check before sending. */
export function alsoShared(
  change: PlannedChange,
  bearers: ReadonlyMap<string, readonly string[]>,
): WithheldIdentifier[] {
  const planned = new Set(change.withheld.map(identifierKey));
  return identifiersOf(change.body).flatMap((identifier) => {
    const others = (bearers.get(bearerKey(identifier)) ?? []).filter((bearer) => bearer !== identifier.owner);
    if (others.length === 0 || planned.has(identifierKey(identifier))) return [];
    return [
      {
        ...identifier,
        reason: `${identifier.kind} ${identifier.value} is also borne by ${others.join(', ')}`,
      },
    ];
  });
}
