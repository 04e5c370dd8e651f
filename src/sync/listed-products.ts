import type { CatalogProduct, CatalogVariant } from '../catalog/schemas.js';
import { IDENTIFIER_KINDS } from '../domain/catalog-product.js';
import { isForeign, parseExternalId, productExternalId } from '../domain/external-id.js';
import { foldedIdentifier } from '../domain/identifier-text.js';
import { clipped, storableText } from '../domain/text.js';
import type { HolderRow, ListedRow } from '../persistence/plan-rows.js';

/** A product model as far as its variants need it. */
export interface ListedModel {
  readonly id: string;
  readonly externalId: string;
}

export function listedRow(product: CatalogProduct): ListedRow {
  return {
    catalogId: String(product.id),
    externalId: filled(product.external_id),
    hidesVariants: mayHideVariants(product),
  };
}

/** One row per identifier of a product and its variants, and one for the product's external_id. */
export function holderRows(product: CatalogProduct): HolderRow[] {
  const catalogId = String(product.id);
  const externalId = filled(product.external_id);
  return [
    ...identifierRows(product, catalogId, externalId, false),
    ...variantRows({ id: catalogId, externalId: externalId ?? '' }, product.variants ?? []),
  ];
}

export function variantRows(product: ListedModel, variants: readonly CatalogVariant[]): HolderRow[] {
  return variants.flatMap((variant) => {
    const owner = variantOwner(filled(variant.external_id), filled(product.externalId));
    return identifierRows(variant, String(variant.id ?? product.id), owner, true);
  });
}

/**
 * A variant without an external_id belongs to the owner of its product. So does one that bears an external_id of ours in a product that
 * another system took over.
 */
function variantOwner(own: string | null, product: string | null): string | null {
  const ref = own === null ? null : parseExternalId(own);
  if (ref === null || product === null) return own ?? product;
  return isForeign(product, productExternalId(ref.store, ref.productId)) ? product : own;
}

/** Listings leave variants out: those of a model, or of a product that does not say what it is, have a path of their own. */
function mayHideVariants(product: CatalogProduct): boolean {
  return product.is_product_model !== false && (product.variants ?? []).length === 0;
}

/** Characters that are kept of an external_id. Ours are far shorter. */
const LONGEST_EXTERNAL_ID = 500;

/** A database cannot hold every text of the catalog, and indexes no long one. The rest of such a text is no identifier of ours. */
function filled(text: string | null | undefined): string | null {
  return text == null || text === '' ? null : clipped(storableText(text), LONGEST_EXTERNAL_ID);
}

function identifierRows(
  holder: CatalogVariant,
  catalogId: string,
  externalId: string | null,
  isVariant: boolean,
): HolderRow[] {
  const common = { catalogId, externalId, isVariant };
  const rows: HolderRow[] = [];
  for (const kind of IDENTIFIER_KINDS) {
    const value = foldedIdentifier(holder[kind] ?? '');
    // A text that no database holds is the identifier of none of our products.
    if (value !== '' && storableText(value) === value) rows.push({ ...common, kind, value });
  }
  if (rows.length === 0 && externalId !== null && !isVariant)
    rows.push({ ...common, kind: null, value: null });
  return rows;
}
