import {
  CATALOG_FIELDS,
  IDENTIFIER_KINDS,
  IDENTIFIER_NAMES,
  type CatalogField,
  type CatalogProductBody,
  type Identifier,
  type IdentifierKind,
} from '../domain/catalog-product.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { valueKey } from './identity.js';
import { identifiersOf, withoutIdentifiers } from './map-to-catalog.js';

/**
 * The identifiers of `body` that a refusal names, each with the service's own message. Empty when the refusal is about anything else
 * as well: then leaving identifiers out would not help. `variants.2.sku` names one variant's identifier; `variants` alone names
 * those of all variants.
 */
export function refusedIdentifiers(
  body: CatalogProductBody,
  fields: Readonly<Record<string, readonly string[]>> | undefined,
): WithheldIdentifier[] {
  const refused = new Map<string, WithheldIdentifier>();
  for (const [path, messages] of Object.entries(fields ?? {})) {
    const named = namedBy(path, body);
    if (named.length === 0) return [];
    for (const identifier of named) {
      const key = `${identifier.kind}\u0000${identifier.owner}`;
      refused.set(key, {
        ...identifier,
        reason: `the catalog refused ${IDENTIFIER_NAMES[identifier.kind]} ${identifier.value}: ${messages.join(' ')}`,
        holder: { whose: 'refused', externalIds: [], catalogId: null },
      });
    }
  }
  return [...refused.values()];
}

function namedBy(path: string, body: CatalogProductBody): Identifier[] {
  const [head = '', index, kind, ...rest] = path.split('.');
  if (isKind(head)) return index === undefined ? ownIdentifiers(body, head) : [];
  if (head !== 'variants' || rest.length > 0) return [];
  const variants = body.variants ?? [];
  const chosen = index === undefined ? variants : variants.slice(Number(index), Number(index) + 1);
  if (kind !== undefined && !isKind(kind)) return [];
  return chosen.flatMap((variant) => ownIdentifiers(variant, kind));
}

function ownIdentifiers(body: CatalogProductBody, kind?: IdentifierKind): Identifier[] {
  const { variants: _variants, ...own } = body;
  return identifiersOf(own).filter((identifier) => kind === undefined || identifier.kind === kind);
}

function isKind(name: string): name is IdentifierKind {
  return (IDENTIFIER_KINDS as readonly string[]).includes(name);
}

/** The body with nothing that POST could match by besides its external_id. */
export function bareBody(body: CatalogProductBody): CatalogProductBody {
  return withoutIdentifiers(body, identifiersOf(body));
}

/** The fields through which the identifiers of a body are sent. */
export function identifierFields(body: CatalogProductBody): CatalogField[] {
  const ofVariants = (body.variants ?? []).some((variant) => identifiersOf(variant).length > 0);
  return CATALOG_FIELDS.filter((field) =>
    field === 'variants'
      ? ofVariants
      : isKind(field) && typeof body[field] === 'string' && body[field] !== '',
  );
}

/**
 * The request that must precede `body`: it releases identifiers that moved within the product, and those of variants that are gone.
 * Null when there are none. It names the variants that stay, because a service that replaces the set would otherwise delete them.
 */
export function releaseBody(
  body: CatalogProductBody,
  stale: readonly Identifier[],
): Record<string, unknown> | null {
  const wanted = new Set(identifiersOf(body).map(valueKey));
  const own = stale.filter((each) => each.owner === body.external_id && wanted.has(valueKey(each)));
  const kept = new Set((body.variants ?? []).map((variant) => variant.external_id));
  const ofVariants = Map.groupBy(
    stale.filter(
      (each) => each.owner !== body.external_id && (!kept.has(each.owner) || wanted.has(valueKey(each))),
    ),
    ({ owner }) => owner,
  );
  if (own.length === 0 && ofVariants.size === 0) return null;
  const staying = (body.variants ?? []).map((variant) => ({
    ...bareBody(variant),
    ...cleared(ofVariants.get(variant.external_id) ?? []),
  }));
  const leaving = [...ofVariants]
    .filter(([owner]) => !kept.has(owner))
    .map(([owner, identifiers]) => ({ external_id: owner, ...cleared(identifiers) }));
  return {
    ...cleared(own),
    ...(ofVariants.size === 0 ? {} : { variants: [...staying, ...leaving] }),
  };
}

/** The fields of an update, and `variants` where only they can clear what a variant that stays holds. */
export function fieldsThatClear(
  body: CatalogProductBody,
  fields: readonly CatalogField[],
  stale: readonly Identifier[],
): readonly CatalogField[] {
  const kept = new Set((body.variants ?? []).map((variant) => variant.external_id));
  if (fields.includes('variants') || !stale.some(({ owner }) => kept.has(owner))) return fields;
  return [...fields, 'variants'];
}

/**
 * The changes with null for each stale identifier that no new value replaces. A service that merges variants keeps a value that is
 * not named. So an identifier that the merchant removed, or that is withheld, would stay in the catalog permanently.
 */
export function withStaleCleared<Changes extends Partial<CatalogProductBody>>(
  changes: Changes,
  body: CatalogProductBody,
  stale: readonly Identifier[],
): Changes {
  const left = (owner: CatalogProductBody): Partial<Record<IdentifierKind, null>> =>
    cleared(stale.filter((held) => held.owner === owner.external_id && (owner[held.kind] ?? '') === ''));
  const variants = changes.variants?.map((variant) => ({ ...variant, ...left(variant) }));
  return { ...changes, ...left(body), ...(variants === undefined ? {} : { variants }) };
}

/** The request that clears all identifiers of a product whose source is gone, and of its variants. */
export function orphanReleaseBody(externalId: string, held: readonly Identifier[]): Record<string, unknown> {
  const byOwner = Map.groupBy(held, ({ owner }) => owner);
  const own = byOwner.get(externalId) ?? [];
  byOwner.delete(externalId);
  const variants = [...byOwner].map(([owner, identifiers]) => ({
    external_id: owner,
    ...cleared(identifiers),
  }));
  return { ...cleared(own), ...(variants.length === 0 ? {} : { variants }) };
}

function cleared(identifiers: readonly Identifier[]): Partial<Record<IdentifierKind, null>> {
  return Object.fromEntries(identifiers.map(({ kind }) => [kind, null]));
}
