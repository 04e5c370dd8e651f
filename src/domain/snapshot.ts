/** A store's product as read now: plain values, nothing vendor-specific, nothing derived. Empty strings are null. */
export interface ProductSnapshot {
  /** `{kind}:{shop}:{numeric product id}`; never changes for a product's life (docs/decisions/0005-identity.md). */
  readonly externalId: string;
  /** The store's own id. Only its connector knows the format. */
  readonly storeId: string;
  readonly status: ProductStatus;
  readonly handle: string;
  readonly title: string;
  /** HTML as the store returns it. */
  readonly descriptionHtml: string | null;
  /** The text beside it, which is among the metafields, too. Absent where the kind of store has none. */
  readonly shortDescription?: string | null;
  readonly vendor: string | null;
  readonly productType: string | null;
  /** Full name of the store's taxonomy category, `Root > Subcategory`. */
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly isGiftCard: boolean;
  /** Public address, null while the product is not published. */
  readonly url: string | null;
  readonly seoTitle: string | null;
  readonly seoDescription: string | null;
  readonly options: readonly ProductOption[];
  /** In the store's order. */
  readonly imageUrls: readonly string[];
  readonly metafields: readonly MetafieldValue[];
  /** True when the store created the only variant itself, because the product has no options. */
  readonly hasOnlyDefaultVariant: boolean;
  /** In the store's order. */
  readonly variants: readonly VariantSnapshot[];
  /**
   * The texts in further languages, by locale. Absent where no further locale is configured; null where the store does not let us
   * read them.
   */
  readonly translations?: SourceTranslations | null;
}

/** Texts of a product in further languages, by locale and store field. A text that is not translated is absent. */
export type SourceTranslations = Readonly<Record<string, Readonly<Partial<Record<TranslatedText, string>>>>>;

/** The store fields whose translations are source. */
export const TRANSLATED_TEXTS = ['title', 'descriptionHtml'] as const;
export type TranslatedText = (typeof TRANSLATED_TEXTS)[number];

export type ProductStatus = 'ACTIVE' | 'ARCHIVED' | 'DRAFT' | 'UNLISTED';

export interface ProductOption {
  readonly name: string;
  readonly values: readonly string[];
}

export interface VariantSnapshot {
  /** `{kind}:{shop}:{product id}:{variant id}`. */
  readonly externalId: string;
  readonly storeId: string;
  readonly title: string;
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly options: readonly { readonly name: string; readonly value: string }[];
  /** The weight with its unit, such as `250 g`; null when the store has none. */
  readonly weight: string | null;
  /** Addresses of the images that belong to this variant; the product's list holds them too. */
  readonly imageUrls: readonly string[];
  /** Only the metafields that the store's mapping names. */
  readonly metafields: readonly MetafieldValue[];
}

export interface MetafieldValue {
  readonly namespace: string;
  readonly key: string;
  /** The store's type name, such as `single_line_text_field` or `number_integer`. */
  readonly type: string;
  readonly value: string;
  /** The merchant's translations of the value, by locale. Absent without any, and where none are read. */
  readonly translations?: Readonly<Record<string, string>>;
}
