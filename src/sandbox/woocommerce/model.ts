/** The data of the sandbox shop. Records are immutable: a write puts a new record in the old one's place. */

export const STATUSES = ['draft', 'pending', 'private', 'publish', 'future', 'trash'] as const;
export type Status = (typeof STATUSES)[number];
export const PRODUCT_TYPES = ['simple', 'grouped', 'external', 'variable'] as const;

/** A product or a variation: both are posts of one numbering. */
export interface Post {
  readonly id: number;
  /** The product of a variation; 0 for products. */
  readonly parentId: number;
  readonly type: (typeof PRODUCT_TYPES)[number] | 'variation';
  readonly row: PostRow;
  readonly sku: string;
  /** GTIN, UPC, EAN or ISBN. */
  readonly globalUniqueId: string;
  readonly regularPrice: string;
  readonly salePrice: string;
  readonly weight: string;
  readonly manageStock: boolean;
  readonly stockQuantity: number | null;
  readonly totalSales: number;
  readonly categories: readonly number[];
  readonly brands: readonly number[];
  readonly tags: readonly number[];
  readonly images: readonly Image[];
  readonly attributes: readonly Attribute[];
  readonly meta: readonly Meta[];
  readonly createdAt: Date;
  readonly modifiedAt: Date;
  /** The shop's offset when it was modified, in hours: the local column keeps it when the shop's zone changes. */
  readonly modifiedOffset: number;
}

/** What one table row of the shop holds: whoever writes one of these fields writes all of them. */
export interface PostRow {
  readonly name: string;
  readonly slug: string;
  readonly status: Status;
  readonly description: string;
  readonly shortDescription: string;
  readonly menuOrder: number;
}

export interface Image {
  readonly id: number;
  readonly src: string;
  readonly name: string;
  readonly alt: string;
  readonly createdAt: Date;
}

export interface Attribute {
  /** 0 for an attribute of this product alone. */
  readonly id: number;
  readonly name: string;
  readonly visible: boolean;
  /** True where variations differ by it. */
  readonly variation: boolean;
  /** Of a variation: one, or none for "any". */
  readonly options: readonly string[];
}

export interface Meta {
  readonly id: number;
  readonly key: string;
  readonly value: unknown;
}

export type Taxonomy = 'categories' | 'tags' | 'brands';

export interface Term {
  readonly id: number;
  readonly taxonomy: Taxonomy;
  /** As it is kept: `&` is encoded. */
  readonly name: string;
  readonly slug: string;
  readonly parent: number;
}

/** What a request carries. */
export type Body = Readonly<Record<string, unknown>>;

/** An answer that is an error. `data` stands beside its status. */
export class RestError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly data: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }

  body(): object {
    return { code: this.code, message: this.message, data: { status: this.status, ...this.data } };
  }
}

/** A part of the API that the sandbox does not have. It must be seen: a guess would pass for the shop's answer. */
export class NotInSandbox extends Error {}
