/**
 * A product as the catalog service sees it: the writable fields (docs/catalog-rules.md#product) that store-sync
 * fills.
 */
export interface CatalogProductBody {
  readonly external_id: string;
  readonly sku?: string | null;
  readonly barcode?: string | null;
  readonly mpn?: string | null;
  readonly asin?: string | null;
  readonly brand?: string;
  readonly category?: string;
  readonly name?: string;
  readonly description?: string;
  readonly html_description?: string;
  readonly url?: string | null;
  readonly open_attributes?: Readonly<Record<string, JsonValue>>;
  readonly metadata?: Readonly<Record<string, JsonValue>>;
  readonly crawl_configuration?: { readonly source_url?: string; readonly reference_string?: string };
  readonly product_lists?: readonly string[];
  readonly tags_to_update?: readonly number[];
  readonly images?: readonly { readonly source_url: string; readonly order: number }[];
  readonly variants?: readonly CatalogProductBody[];
  /**
   * The merchant's content in further languages, by locale. No field of the service: each locale is sent by a request of its own.
   */
  readonly translations?: Readonly<Record<string, LocalisedContent>>;
  /** The language of the texts; absent: the service's own. No field of the service: a request names it beside its body. */
  readonly locale?: string;
}

/** The content of a product in one language. */
export interface LocalisedContent {
  readonly name?: string;
  readonly description?: string;
  readonly html_description?: string;
  /** All attributes of the product, each in this language where it is translated. Absent where none is translated. */
  readonly open_attributes?: Readonly<Record<string, JsonValue>>;
}
export const LOCALISED_TEXTS = ['name', 'description', 'html_description'] as const;

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export type CatalogField = Exclude<keyof CatalogProductBody, 'external_id' | 'locale'>;

/** Fields whose values belong to a language (docs/catalog-rules.md#general). */
export const LANGUAGE_FIELDS: readonly CatalogField[] = [...LOCALISED_TEXTS, 'open_attributes'];

/** The order of comparison and display. */
export const CATALOG_FIELDS: readonly CatalogField[] = [
  'name',
  'description',
  'html_description',
  'brand',
  'category',
  'url',
  'sku',
  'barcode',
  'mpn',
  'asin',
  'images',
  'crawl_configuration',
  'product_lists',
  'tags_to_update',
  'open_attributes',
  'metadata',
  'variants',
  'translations',
];

/** Identifiers that are unique in the catalog and that a POST matches by (docs/catalog-rules.md#post-products). */
export const IDENTIFIER_KINDS = ['sku', 'barcode', 'mpn', 'asin'] as const;
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];
/** The kinds of identifiers as people write them. */
export const IDENTIFIER_NAMES: Readonly<Record<IdentifierKind, string>> = {
  sku: 'SKU',
  barcode: 'barcode',
  mpn: 'MPN',
  asin: 'ASIN',
};

export interface Identifier {
  readonly kind: IdentifierKind;
  readonly value: string;
  /** external_id of the product or variant that has it. */
  readonly owner: string;
}

/**
 * The value that clears a field. Text is cleared by the empty string. Identifiers and addresses are cleared by null,
 * because an empty identifier would have to be unique as well, and an empty string is not an address.
 */
export function clearedValue(
  field: CatalogField,
): string | null | readonly [] | Readonly<Record<string, never>> {
  switch (field) {
    case 'sku':
    case 'barcode':
    case 'mpn':
    case 'asin':
    case 'url':
      return null;
    case 'images':
    case 'variants':
    case 'product_lists':
    case 'tags_to_update':
      return [];
    case 'open_attributes':
    case 'crawl_configuration':
    case 'metadata':
    case 'translations':
      return {};
    default:
      return '';
  }
}
