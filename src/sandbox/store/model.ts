import { GraphQLError } from 'graphql';

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
  readonly isGiftCard: boolean;
  readonly changedAt: Date;
  readonly isPublished: boolean;
}

export interface TaxonomyCategory {
  readonly gid: string;
  readonly fullName: string;
}

export interface ProductOption {
  readonly name: string;
  readonly values: readonly string[];
}

export interface ProductVariant {
  readonly id: number;
  readonly gid: string;
  readonly title: string;
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly selectedOptions: readonly { readonly name: string; readonly value: string }[];
  readonly weight: Weight | null;
  /** One of the product's media. */
  readonly mediaId: number | null;
  readonly metafields: readonly Metafield[];
}

export interface Weight {
  readonly value: number;
  readonly unit: 'GRAMS' | 'KILOGRAMS' | 'OUNCES' | 'POUNDS';
}

export interface MediaImage {
  readonly id: number;
  readonly url: string;
  readonly alt: string | null;
}

export interface Metafield {
  readonly id: number;
  readonly namespace: string;
  readonly key: string;
  readonly type: string;
  readonly value: string;
}

/** What has metafields. */
export type OwnerType = 'PRODUCT' | 'PRODUCTVARIANT';

/** A definition of a metafield of products or of variants, as the merchant or an app made it. */
export interface Definition {
  readonly id: number;
  readonly ownerType: OwnerType;
  readonly namespace: string;
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly validations: readonly { readonly name: string; readonly value: string }[];
  readonly pinned: boolean;
}

export interface Translation {
  readonly key: string;
  readonly locale: string;
  readonly value: string;
}

export interface ShopLocale {
  readonly locale: string;
  readonly primary: boolean;
  readonly published: boolean;
}

export function gid(type: string, id: number | string): string {
  return `gid://shopify/${type}/${id}`;
}

const GID = /^gid:\/\/shopify\/([A-Za-z]+)\/([A-Za-z0-9._-]+)$/;

/** The parts of a global id, or null when the text is none. */
export function parseGid(text: string): { type: string; id: string } | null {
  const match = GID.exec(text);
  return match?.[1] === undefined || match[2] === undefined ? null : { type: match[1], id: match[2] };
}

/** The number in a gid of the expected type; RESOURCE_NOT_FOUND for a gid of another type. */
export function requireId(gid: string, type: string): number {
  const parsed = parseGid(gid);
  if (parsed?.type === type) return Number(parsed.id);
  throw new GraphQLError(`Invalid id: ${gid}`, { extensions: { code: 'RESOURCE_NOT_FOUND' } });
}
