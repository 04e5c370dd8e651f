/** The data of the sandbox store. Records are immutable: a write puts a new record in the old one's place. */

export const PRODUCT_STATUSES = ['ACTIVE', 'ARCHIVED', 'DRAFT', 'UNLISTED'] as const;
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];

export interface SandboxProduct {
  readonly id: number;
  /** `gid://shopify/Product/{id}`. */
  readonly gid: string;
  readonly handle: string;
  readonly title: string;
  readonly descriptionHtml: string;
  readonly vendor: string;
  readonly productType: string;
  /** Sorted regardless of case, as the store keeps them. */
  readonly tags: readonly string[];
  readonly status: ProductStatus;
  readonly category: TaxonomyCategory | null;
  readonly seoTitle: string | null;
  readonly seoDescription: string | null;
  readonly options: readonly ProductOption[];
  readonly variants: readonly ProductVariant[];
  readonly media: readonly MediaImage[];
  readonly metafields: readonly Metafield[];
  readonly collections: readonly Collection[];
  readonly templateSuffix: string | null;
  readonly isGiftCard: boolean;
  readonly createdAt: Date;
  /** When it was last written; what readers see as `updatedAt` may move on from it (`ShopState.updatedAt`). */
  readonly changedAt: Date;
  readonly publishedAt: Date | null;
}

export interface TaxonomyCategory {
  readonly gid: string;
  readonly fullName: string;
}

export interface ProductOption {
  readonly id: number;
  readonly name: string;
  readonly values: readonly { readonly id: number; readonly name: string }[];
}

export interface ProductVariant {
  readonly id: number;
  readonly gid: string;
  readonly title: string;
  readonly sku: string | null;
  readonly barcode: string | null;
  /** Money as the API writes it: two decimals. */
  readonly price: string;
  readonly compareAtPrice: string | null;
  readonly selectedOptions: readonly { readonly name: string; readonly value: string }[];
  readonly inventoryItemId: number;
  readonly inventoryQuantity: number;
  readonly tracked: boolean;
  readonly unitCost: string | null;
  readonly weight: Weight | null;
  /** One of the product's media. */
  readonly mediaId: number | null;
  readonly metafields: readonly Metafield[];
  readonly createdAt: Date;
  readonly changedAt: Date;
}

export interface Weight {
  readonly value: number;
  readonly unit: 'GRAMS' | 'KILOGRAMS' | 'OUNCES' | 'POUNDS';
}

export interface MediaImage {
  readonly id: number;
  readonly url: string;
  readonly alt: string | null;
  readonly createdAt: Date;
}

export interface Metafield {
  readonly id: number;
  readonly namespace: string;
  readonly key: string;
  readonly type: string;
  readonly value: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

/** A definition of a metafield of products or of variants, as the merchant or an app made it. */
export interface Definition {
  readonly id: number;
  readonly ownerType: 'PRODUCT' | 'PRODUCTVARIANT';
  readonly namespace: string;
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly validations: readonly { readonly name: string; readonly value: string }[];
  readonly pinned: boolean;
}

export interface Collection {
  readonly id: number;
  readonly handle: string;
  readonly title: string;
}

export interface Translation {
  readonly key: string;
  readonly locale: string;
  readonly value: string;
  /** Digest of the content that was translated: another one now means that the translation is outdated. */
  readonly sourceDigest: string;
  readonly updatedAt: Date;
}

export interface ShopLocale {
  readonly locale: string;
  readonly name: string;
  readonly primary: boolean;
  readonly published: boolean;
}

export function gid(type: string, id: number | string): string {
  return `gid://shopify/${type}/${id}`;
}

const GID = /^gid:\/\/shopify\/([A-Za-z]+)\/([A-Za-z0-9._-]+)(?:\?.*)?$/;

/** The parts of a global id, or null when the text is none. */
export function parseGid(text: string): { type: string; id: string } | null {
  const match = GID.exec(text);
  return match?.[1] === undefined || match[2] === undefined ? null : { type: match[1], id: match[2] };
}
